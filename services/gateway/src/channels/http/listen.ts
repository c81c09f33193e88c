import { createServer, type AddressInfo, type Server } from 'node:net';
import { systemCode } from '@signalbox/contracts/system-error';
import type { Closable } from '@signalbox/platform/lifecycle';
import { sleep } from '@signalbox/contracts/time';
import type { FastifyInstance } from 'fastify';

/** Open connections at most: a flood must not take the gateway's other sockets. */
const MAX_CONNECTIONS = 1_000;
const THIS_MACHINE = '127.0.0.1';
/** What a machine without this address says when somebody listens there. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens. `close` takes no more connections, lets what is being answered finish within `drainMs`, and cuts the rest.
 * On 127.0.0.1 it listens on ::1 too: browsers take either for `localhost`, and whoever had the other one would be our page there.
 * The launcher has bound `sockets` to these addresses, so no other program can listen there after this process ends.
 * Throws the system's error when the port is taken, on either.
 */
export async function listen(
  app: FastifyInstance,
  options: {
    readonly host: string;
    readonly port: number;
    readonly sockets?: readonly number[] | undefined;
    readonly drainMs: number;
  },
): Promise<Closable & { readonly port: number }> {
  const [near, far] = options.sockets ?? [];
  await app.listen({ host: options.host, port: options.port, ...(near === undefined ? {} : { fd: near }) });
  app.server.maxConnections = MAX_CONNECTIONS;
  const { port } = app.server.address() as AddressInfo; // it listens on TCP
  try {
    const isMachineOnly = options.sockets ? far !== undefined : options.host === THIS_MACHINE;
    const second = isMachineOnly ? await listenBeside(app, port, far) : null;
    return { port, close: () => closeApp(app, second, options.drainMs) };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The same server at the machine's other address; null where the machine has none. */
async function listenBeside(app: FastifyInstance, port: number, socket?: number): Promise<Server | null> {
  const server = createServer((socket) => app.server.emit('connection', socket));
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket === undefined ? { host: '::1', port, ipv6Only: true } : { fd: socket }, resolve);
    });
    return server;
  } catch (error) {
    if (NO_SUCH_ADDRESS.has(systemCode(error))) return null;
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
