import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A port of this machine that nobody else can listen on while this process lives. */
export interface HeldPort {
  readonly port: number;
  /** The descriptors of its sockets, which a program that gets them listens on. */
  readonly sockets: readonly number[];
}

/** A socket that is bound, as Node's cluster shares it between processes. `listen` would make it take connections in this one. */
interface BoundSocket {
  readonly fd: number;
  /** The number of an error; 0 when there is none. */
  getsockname(into: object): number;
  close(): void;
}

/** A bound socket is closed with the last that knows it. */
const kept: BoundSocket[] = [];
const THIS_MACHINE = '127.0.0.1';
/** What a machine without this address says when somebody binds it. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Takes the first free TCP port from `first` on. On 127.0.0.1 it takes that of ::1 too: a browser takes either for `localhost`. A program
 * that is started with its sockets listens there, and no other program can while it is started again. Throws when none of a hundred is free.
 */
export async function holdPortFrom(first: number, host = THIS_MACHINE): Promise<HeldPort> {
  const { address } = await lookup(host);
  for (let port = first; port < first + 100; port += 1) {
    const near = bind(address, port);
    if (typeof near === 'string') continue;
    const far = address === THIS_MACHINE ? bind('::1', port) : 'no such address';
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
  // Node documents nothing that binds without taking connections; this is what its cluster does it with.
  const { _createServerHandle: create } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4 | 6): BoundSocket | number;
  };
  const socket = create(host, port, family);
  if (typeof socket === 'number') return NO_SUCH_ADDRESS.has(getSystemErrorName(socket)) ? 'no such address' : 'taken';
  // Some systems report a taken port only when the socket is asked for its name.
  if (socket.getsockname({}) === 0) return socket;
  socket.close();
  return 'taken';
}
