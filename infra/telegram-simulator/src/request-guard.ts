import type { FastifyInstance } from 'fastify';

/** Scripts, styles and connections only from here; a text of a chat can load nothing. */
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

/** What a browser says of a request that its own page made, or that somebody typed. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Refuses what another web page sends through the visitor's browser: whoever speaks as Ada can approve a deploy. A
 * foreign name that resolves to this machine is refused by its Host; a foreign page by its Origin, its Referer or what the
 * browser says of its site. A page of another port of this machine is foreign too: it may be a service that was deployed.
 */
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

/** The origin of an address; of what is none, such as `null` or an empty word, a symbol that equals nothing. */
function originOf(url: string): string | symbol {
  return URL.canParse(url) ? new URL(url).origin : Symbol(url);
}
