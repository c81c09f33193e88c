import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { hasConnections, isPortFree } from './probe-health.ts';

it('a port is reported as free after its server has closed, and its lingering connections are detected', async () => {
  const server = createServer((socket) => socket.end('bye'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // The server listens on TCP
  const client = connect(port, '127.0.0.1').resume();
  await once(client, 'close');
  server.close();
  await once(server, 'close');
  expect(await isPortFree('127.0.0.1', port)).toBe(true);
  // Systems without these kernel tables have their own rules for such ports.
  expect(await hasConnections(port)).toBe(existsSync('/proc/net/tcp'));
  expect(await hasConnections(1)).toBe(false);
});
