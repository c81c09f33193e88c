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

/**
 * Refuses what another web page sends through the visitor's browser: whoever speaks as Ada can approve a deploy. A
 * foreign name that resolves to this machine is refused by its Host, a foreign page by its Origin.
 */
export function registerRequestGuard(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const { host, origin } = request.headers;
    const isForeign = !isLocal(`http://${host ?? ''}`) || (origin !== undefined && !isLocal(origin));
    if (isForeign) return reply.code(403).send({ ok: false, error: 'The simulator answers only to this machine.' });
    return undefined;
  });
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL_NAMES.has(new URL(url).hostname);
}
