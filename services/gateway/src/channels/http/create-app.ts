import type { Socket } from 'node:net';
import { SECOND_MS } from '@signalbox/contracts/time';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';

/** Room for a long address, a signature and a cookie. */
const MAX_HEAD_BYTES = 8 * 1024;
/** Time limits for the head and for the whole of a request. */
const HEAD_MS = 5 * SECOND_MS;
const REQUEST_MS = 10 * SECOND_MS;
const SLOW_CHECK_MS = SECOND_MS;
/** Proxies keep connections for 60 s; a longer time lets them close first. */
const KEEP_ALIVE_MS = 75 * SECOND_MS;

/** Creates a server without body parsers: routes choose types and sizes. `onBroken` answers what is no valid HTTP. */
export function createApp(options: {
  readonly bodyLimitBytes: number;
  /** Time limit of a request; default 10 s. */
  readonly requestMs?: number | undefined;
  readonly onBroken: (error: NodeJS.ErrnoException, socket: Socket) => void;
  readonly refuseAddress: (reply: FastifyReply) => void;
}): FastifyInstance {
  const { requestMs = REQUEST_MS } = options;
  const app = fastify({
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: Math.min(HEAD_MS, requestMs),
      connectionsCheckingInterval: SLOW_CHECK_MS,
    },
    clientErrorHandler: options.onBroken,
    // Requests with an unreadable address never reach the hooks.
    frameworkErrors: (_error, _request, reply) => options.refuseAddress(reply),
  });
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  // A connection that was busy at shutdown must not stay open for another request.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close');
  });
  app.removeAllContentTypeParsers();
  return app;
}
