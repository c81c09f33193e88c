import { createServer } from 'node:net';

/** A free TCP port on 127.0.0.1: `preferred` when nobody listens there, otherwise one that the system picks. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred)) !== null) return preferred;
  const port = await tryPort(0);
  if (port === null) throw new Error('the system has no free TCP port on 127.0.0.1');
  return port;
}

/** The first free TCP port on 127.0.0.1 from `first` on. Throws when none of the next hundred is free. */
export async function findFreePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + 100; port += 1) {
    if ((await tryPort(port)) !== null) return port;
  }
  throw new Error(`no TCP port from ${first} to ${first + 99} is free on 127.0.0.1`);
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
