import type { AddressInfo } from 'node:net';
import type { Closable } from '@signalbox/platform/lifecycle';
import { sleep } from '@signalbox/contracts/time';
import type { FastifyInstance } from 'fastify';

/** Open connections at most: a flood must not take the gateway's other sockets. */
const MAX_CONNECTIONS = 1_000;

/**
 * Listens. `close` takes no more connections, lets what is being answered finish within `drainMs`, and cuts the rest.
 * Throws the system's error when the port is taken.
 */
export async function listen(
  app: FastifyInstance,
  options: { readonly host: string; readonly port: number; readonly drainMs: number },
): Promise<Closable & { readonly port: number }> {
  await app.listen({ host: options.host, port: options.port });
  app.server.maxConnections = MAX_CONNECTIONS;
  const { port } = app.server.address() as AddressInfo; // it listens on TCP
  return { port, close: () => closeApp(app, options.drainMs) };
}

async function closeApp(app: FastifyInstance, drainMs: number): Promise<void> {
  const drained = new AbortController();
  const closing = app.close().finally(() => drained.abort());
  await Promise.race([closing, sleep(drainMs, drained.signal)]);
  app.server.closeAllConnections();
  await closing;
}
