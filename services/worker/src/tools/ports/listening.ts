import { getDriverTraits, type DriverName } from '@signalbox/contracts/operations/drivers';
import { createConnection, createServer } from 'node:net';

/** The time to connect: long enough for a server of the same network. */
const CONNECT_MS = 400;

/** Tests a port by binding it on this machine, or by connecting over ssh. False for a server without a driver. */
export async function isPortInUse(
  { host, driver }: { readonly host: string; readonly driver: DriverName | null },
  port: number,
): Promise<boolean> {
  if (driver === null) return false;
  return getDriverTraits(driver).isLocal ? !(await canBind(port)) : canConnect(host, port);
}

/** Tries to bind the port on all addresses: a listener on any address is a conflict. */
function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Errors other than EADDRINUSE say nothing about the port.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: CONNECT_MS });
    const answer = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}
