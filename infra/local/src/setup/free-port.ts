import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { systemCode } from '@signalbox/contracts/system-error';

/**
 * Above the ports that Linux gives to outgoing connections: what is free there stays free until it is listened on. A port that the
 * system picks may be that of anybody's connection a moment later.
 */
const QUIET = { first: 61_000, last: 65_400 };

/** A free TCP port on 127.0.0.1: `preferred` when it is free, otherwise one that stays free, if there is any. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred)) !== null) return preferred;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const drawn = randomInt(QUIET.first, QUIET.last);
    if ((await tryPort(drawn)) !== null) return drawn;
  }
  const port = await tryPort(0);
  if (port === null) throw new Error('the system has no free TCP port on 127.0.0.1');
  return port;
}

/**
 * The first free TCP port of this machine from `first` on, on 127.0.0.1 and on ::1: a browser takes either for `localhost`. Throws when
 * none of the next hundred is free.
 */
export async function findFreePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + 100; port += 1) {
    if ((await tryPort(port)) !== null && !(await isTaken(port, '::1'))) return port;
  }
  throw new Error(`no TCP port from ${first} to ${first + 99} is free on 127.0.0.1`);
}

/** Where there is no such address nobody has it. */
function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(systemCode(error) === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true, ipv6Only: true }, () => server.close(() => resolve(false)));
  });
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null));
    });
  });
}
