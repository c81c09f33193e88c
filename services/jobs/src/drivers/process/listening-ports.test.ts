import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findListeningPorts } from './listening-ports.ts';

it('a port on which a program listens is found, on every address, until the program closes it', async () => {
  for (const host of ['127.0.0.1', '::']) {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    expect(findListeningPorts([process.pid]).includes(port)).toBe(existsSync('/proc/net/tcp'));
    await new Promise((resolve) => server.close(resolve));
    expect(findListeningPorts([process.pid])).not.toContain(port);
  }
});
