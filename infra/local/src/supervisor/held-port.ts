import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A port reserved for the life of this process. */
export interface HeldPort {
  readonly port: number;
  /** Descriptors of its bound sockets, for the program that listens on them. */
  readonly sockets: readonly number[];
}

/** A bound socket as Node's cluster shares it. `listen` would accept connections in this process. */
interface BoundSocket {
  readonly fd: number;
  /** Returns an error number, 0 for none. */
  getsockname(into: object): number;
  close(): void;
}

/** Keeps sockets referenced, because an unreferenced one is closed. */
const kept: BoundSocket[] = [];
const LOOPBACK = '127.0.0.1';
/** Errors of binding an address that the machine lacks. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Reserves the first free TCP port from `first` on. For 127.0.0.1 also on ::1, because browsers use either for `localhost`. A program
 * started with the sockets listens there, and no other program can while it restarts. Throws when none of a hundred is free.
 */
export async function holdPortFrom(first: number, host = LOOPBACK): Promise<HeldPort> {
  const { address } = await lookup(host);
  for (let port = first; port < first + 100; port += 1) {
    const near = bind(address, port);
    if (typeof near === 'string') continue;
    const far = address === LOOPBACK ? bind('::1', port) : 'no such address';
    if (far === 'taken') {
      near.close();
      continue;
    }
    const sockets = far === 'no such address' ? [near] : [near, far];
    kept.push(...sockets);
    return { port, sockets: sockets.map(({ fd }) => fd) };
  }
  throw new Error(`no TCP port from ${first} to ${first + 99} is free on ${host}`);
}

function bind(host: string, port: number): BoundSocket | 'taken' | 'no such address' {
  const family = net.isIPv6(host) ? 6 : 4;
  // Node has no documented way to bind without accepting; its cluster uses this.
  const { _createServerHandle: create } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4 | 6): BoundSocket | number;
  };
  const socket = create(host, port, family);
  if (typeof socket === 'number') return NO_SUCH_ADDRESS.has(getSystemErrorName(socket)) ? 'no such address' : 'taken';
  // Some systems report a taken port only in getsockname.
  if (socket.getsockname({}) === 0) return socket;
  socket.close();
  return 'taken';
}
