import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

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
