import { createServer, type AddressInfo, type Server } from 'node:net';
import { getSystemCode } from '@signalbox/contracts/system-error';
import type { Closable } from '@signalbox/platform/lifecycle';
import { sleep } from '@signalbox/contracts/time';
import type { FastifyInstance } from 'fastify';

/** Limits open connections, so that a flood cannot exhaust the gateway's sockets. */
const MAX_CONNECTIONS = 1_000;
const LOOPBACK = '127.0.0.1';
/** Errors of a machine without the address ::1. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens on 127.0.0.1 and ::1 alike: browsers use either for `localhost`, and another program there could pose as the page. `sockets`
 * are already bound to both. `close` stops accepting, drains open connections for `drainMs`, then closes the rest. Throws the system's
 * error when a port is taken.
 */
export async function startHttpServer(
  app: FastifyInstance,
  options: {
    readonly host: string;
    readonly port: number;
    readonly sockets?: readonly number[] | undefined;
    readonly drainMs: number;
  },
): Promise<Closable & { readonly port: number }> {
  const [ipv4Socket, ipv6Socket] = options.sockets ?? [];
  await app.listen({ host: options.host, port: options.port, ...(ipv4Socket === undefined ? {} : { fd: ipv4Socket }) });
  app.server.maxConnections = MAX_CONNECTIONS;
  const { port } = app.server.address() as AddressInfo; // a server that listens on TCP has an AddressInfo
  try {
    const isMachineOnly = options.sockets ? ipv6Socket !== undefined : options.host === LOOPBACK;
    const ipv6Server = isMachineOnly ? await listenOnIpv6(app, port, ipv6Socket) : null;
    return { port, close: () => closeApp(app, ipv6Server, options.drainMs) };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Lets the same server listen on ::1; null when the machine has no such address. */
async function listenOnIpv6(app: FastifyInstance, port: number, socket?: number): Promise<Server | null> {
  const server = createServer((socket) => app.server.emit('connection', socket));
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket === undefined ? { host: '::1', port, ipv6Only: true } : { fd: socket }, resolve);
    });
    return server;
  } catch (error) {
    if (NO_SUCH_ADDRESS.has(getSystemCode(error))) return null;
    throw error;
  }
}

async function closeApp(app: FastifyInstance, second: Server | null, drainMs: number): Promise<void> {
  const drained = new AbortController();
  second?.close();
  const closing = app.close().finally(() => drained.abort());
  await Promise.race([closing, sleep(drainMs, drained.signal)]);
  app.server.closeAllConnections();
  await closing;
}
