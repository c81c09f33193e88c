import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { isTransient } from '@signalbox/store/pool';
import type { FastifyInstance } from 'fastify';
import type { GatewayMetrics } from '../../metrics.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { createApp } from './create-app.ts';
import { startHttpServer } from './listen.ts';

/** Routes may set a higher limit. */
const BODY_LIMIT_BYTES = 64 * 1024;
/** How long running admissions may take at shutdown; with running sends this fits the service's closing time. */
const DRAIN_MS = 3_000;
/** The Retry-After of a 503: Postgres is usually back within seconds. */
const RETRY_SECONDS = 3;

/** The gateway's one public HTTP address, where channels register their routes. Without a route nothing is loaded or listens. */
export function createPublicServer(options: {
  readonly host: string;
  readonly port: number;
  readonly sockets?: readonly number[] | undefined;
  readonly log: Log;
  readonly metrics: Pick<GatewayMetrics, 'requests'>;
}) {
  const { host, port, sockets, log, metrics } = options;
  let app: FastifyInstance | null = null;
  return {
    app(): FastifyInstance {
      app ??= createPublicApp({ log, metrics });
      return app;
    },
    /** Listens; null when no channel has a route. Throws the system's error when the port is taken. */
    open: (): Promise<(Closable & { readonly port: number }) | null> =>
      app ? startHttpServer(app, { host, port, sockets, drainMs: DRAIN_MS }) : Promise.resolve(null),
  };
}

function createPublicApp({ log, metrics }: { readonly log: Log; readonly metrics: Pick<GatewayMetrics, 'requests'> }) {
  const app = createApp({
    bodyLimitBytes: BODY_LIMIT_BYTES,
    onBroken: (error, socket) =>
      answerBrokenRequest(error, socket, (result) => metrics.requests.add({ path: '', result })),
    refuseAddress: (reply) => void reply.code(404).header('connection', 'close').send(),
  });
  app.setNotFoundHandler((_request, reply) => void reply.code(404).header('connection', 'close').send());
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    if (request.raw.socket.destroyed) return reply.send();
    const { statusCode = isTransient(error) ? 503 : 500 } = error;
    if (statusCode === 503) void reply.header('retry-after', RETRY_SECONDS);
    if (statusCode === 503) log.warn('request to be repeated', { path: request.routeOptions.url, error });
    else if (statusCode >= 500) log.error('request failed', { path: request.routeOptions.url, error });
    // Callers do not see details of a failure.
    return reply.code(statusCode).header('connection', 'close').send();
  });
  app.addHook('onResponse', async (request, reply) =>
    metrics.requests.add({ path: request.routeOptions.url ?? '', result: String(reply.statusCode) }),
  );
  return app;
}
