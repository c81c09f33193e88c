import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A TCP port that is reserved until this process ends. */
export interface ReservedPort {
  readonly port: number;
  /** File descriptors of the bound sockets, for the program that will listen on them. */
  readonly sockets: readonly number[];
}

/** A socket of Node's internal API, bound but not listening. */
interface BoundSocket {
  readonly fd: number;
  /** Returns 0, or the number of the error. */
  getsockname(into: object): number;
  close(): void;
}

/** Keeps references to the sockets, because garbage collection would close them. */
const kept: BoundSocket[] = [];
const LOOPBACK = '127.0.0.1';
/** System errors when the machine does not have the address. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Reserves the first free TCP port from `first` on, for programs that inherit the sockets. For 127.0.0.1 also reserves ::1, because
 * browsers resolve `localhost` to either. Throws when a hundred ports are taken.
 */
export async function reservePort(first: number, host = LOOPBACK): Promise<ReservedPort> {
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
  // Node has no documented function that binds without listening; its cluster module uses this one.
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
