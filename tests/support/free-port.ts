import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { loadTestConfig } from './config.ts';

const given = new Set<number>();

/** A port on which no program listens now. A test process gets each once: the system gives one again as soon as it is closed. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}

/**
 * The first of a hundred ports for the leases of a test file. Files that run at the same time have tables of their own and would lease the
 * same ones: each of vitest's processes takes its blocks from a part of its own, below those that the system gives away.
 */
export function choosePortBlock(): number {
  const part = loadTestConfig().poolId % 4;
  return 20_000 + (part * 30 + randomInt(30)) * 100;
}
