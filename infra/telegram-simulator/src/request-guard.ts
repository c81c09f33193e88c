import type { FastifyInstance } from 'fastify';

/** Allows scripts, styles and connections only from this server, so that chat content cannot load anything. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const LOCAL_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Values of Sec-Fetch-Site for the page's own requests and typed addresses. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/** Refuses cross-site requests by Host, Origin, Referer and Sec-Fetch-Site, because a foreign page could approve a deploy as a person. */
export function registerRequestGuard(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    const { host = '', origin, referer, 'sec-fetch-site': site } = request.headers;
    const own = `http://${host}`;
    const isOwn =
      isLocal(own) &&
      [origin, referer].every((from) => from === undefined || originOf(from) === originOf(own)) &&
      OWN_SITES.includes(site);
    if (isOwn) return undefined;
    const error =
      'The simulator answers to this machine and to its own page, and to no other page. Open its address yourself.';
    return reply.code(403).send({ ok: false, error });
  });
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL_NAMES.has(new URL(url).hostname);
}

/** Returns the origin of a URL; for an invalid one, a symbol that equals nothing. */
function originOf(url: string): string | symbol {
  return URL.canParse(url) ? new URL(url).origin : Symbol(url);
}
