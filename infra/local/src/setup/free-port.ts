import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports above Linux's range for outgoing connections, one of which could take a port that the system picked. */
const STABLE_PORTS = { first: 61_000, last: 65_400 };

/** Finds a free TCP port on 127.0.0.1: the preferred one, otherwise a random one of STABLE_PORTS, otherwise any. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred)) !== null) return preferred;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const drawn = randomInt(STABLE_PORTS.first, STABLE_PORTS.last);
    if ((await tryPort(drawn)) !== null) return drawn;
  }
  const port = await tryPort(0);
  if (port === null) throw new Error('the system has no free TCP port on 127.0.0.1');
  return port;
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
