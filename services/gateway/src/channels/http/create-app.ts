import type { Socket } from 'node:net';
import { SECOND_MS } from '@signalbox/contracts/time';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';

/** An address, a signature and a cookie fit in here many times over. */
const MAX_HEAD_BYTES = 8 * 1024;
/** Time for the head of a request, and for all of it. */
const HEAD_MS = 5 * SECOND_MS;
const REQUEST_MS = 10 * SECOND_MS;
const LOOK_FOR_SLOW_MS = SECOND_MS;
/** Longer than proxies keep connections (60 s), so that they are the ones who close. */
const KEEP_ALIVE_MS = 75 * SECOND_MS;

/**
 * A server that reads no body by itself: routes say which types they take, and how much. `onBroken` answers what is no request,
 * `refuseAddress` what has no readable address.
 */
export function createApp(options: {
  readonly bodyLimitBytes: number;
  /** Time for all of a request; 10 s when not given. */
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
      connectionsCheckingInterval: LOOK_FOR_SLOW_MS,
    },
    clientErrorHandler: options.onBroken,
    // An address that is none never reaches the hooks.
    frameworkErrors: (_error, _request, reply) => options.refuseAddress(reply),
  });
  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  // A connection that was busy when the server closed must not be kept for a next request.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) void reply.header('connection', 'close');
  });
  app.removeAllContentTypeParsers();
  return app;
}
