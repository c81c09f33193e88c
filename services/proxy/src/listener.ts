import { createServer, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { sleep } from '@signalbox/contracts/time';
import { serveRequest, type ForwardDeps } from './forward.ts';
import type { LiveRoute } from './live-route.ts';
import { tunnel } from './tunnel.ts';

/** The listening port of one service. */
export interface Listener {
  /** Stops accepting, drains open connections for `drainMs`, then closes the rest. Idempotent. */
  close(drainMs: number): Promise<void>;
}

/** Longer than clients and proxies keep idle connections, so that the proxy never closes first. */
const KEEP_ALIVE_MS = 75_000;
const POLL_MS = 25;

/** Listens at an address for the requests of one route. Throws ROUTE_REFUSED when it cannot listen. */
export async function openListener(address: Route['listen'], live: LiveRoute, parts: ForwardDeps): Promise<Listener> {
  let isClosing = false;
  const tunnels = new Set<Duplex>();
  const open = new Set<ServerResponse>();
  // Uploads may last as long as bytes arrive; request heads may not.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, headersTimeout: 60_000 });
  server.on('request', (request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    if (isClosing) response.shouldKeepAlive = false;
    void serveRequest(parts, live, request, response); // `forward` never rejects.
  });
  server.on('upgrade', (request, client, head) => {
    tunnels.add(client);
    client.once('close', () => tunnels.delete(client));
    void tunnel(parts, live, { request, client, head }); // `tunnel` never rejects.
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new AppError('ROUTE_REFUSED', { reason: describe(address, error) }, error)));
    server.listen(address.port, address.host, resolve);
  });
  server.on('error', (error) => parts.log.error('listener failed', { target: live.service, error }));

  const drain = async (drainMs: number): Promise<void> => {
    isClosing = true;
    let isClosed = false;
    const until = performance.now() + drainMs;
    server.close(() => (isClosed = true));
    for (const response of open) if (!response.headersSent) response.shouldKeepAlive = false;
    while ((!isClosed || tunnels.size > 0) && performance.now() < until) {
      server.closeIdleConnections();
      await sleep(POLL_MS);
    }
    server.closeAllConnections();
    for (const client of tunnels) client.destroy();
  };
  let closing: Promise<void> | null = null;
  return { close: (drainMs) => (closing ??= drain(drainMs)) };
}

function describe({ host, port }: Route['listen'], error: NodeJS.ErrnoException): string {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return `The address ${where} is taken by another program. End that program, or deploy the service with another port.`;
  if (error.code === 'EACCES') return `The proxy may not listen on ${where}; ports below 1024 need a privilege.`;
  if (error.code === 'EADDRNOTAVAIL') return `${where} is no address of the machine that the proxy runs on.`;
  return `The proxy cannot listen on ${where} (${error.code ?? error.message}).`;
}
