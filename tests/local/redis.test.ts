import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess } from '@signalbox/local/supervisor/process-identity';
import { discardRedis, startRedis, tryRedisLogin } from '@signalbox/local/redis/redis';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { startOwnRedis } from '../support/redis.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const { dataDir, path } = loadTestConfig();
const binDir = join(dataDir, 'redis-bin');
let dir = '';

beforeEach(() => {
  dir = makeTemporaryFolder('redis');
});
afterEach(() => discardRedis(dir));

test('Redis requires a password, listens on this machine only, and never evicts keys', async () => {
  const server = await startRedis({ dir, binDir, path });
  expect(await ask(server.url, 'config', 'get', 'bind')).toEqual(['bind', '127.0.0.1']);
  expect(await ask(server.url, 'config', 'get', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  expect(await ask(server.url, 'config', 'get', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
  expect(await tryRedisLogin(Number(new URL(server.url).port), 'wrong', { pid: server.pid, dir })).toBe('refused');
  expect(statSync(join(dir, 'redis.conf')).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'server.json')).mode & 0o777).toBe(0o600);
});

test('a second start uses the Redis server that already runs', async () => {
  const first = await startRedis({ dir, binDir, path });
  const second = await startRedis({ dir, binDir, path });
  expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url });
});

test('keys and the address of Redis survive a stop and a start', async () => {
  const first = await startRedis({ dir, binDir, path });
  await ask(first.url, 'set', 'kept', '42');
  await first.stop();
  await first.stop();
  expect(identifyProcess(first.pid)).toBeNull();
  const second = await startRedis({ dir, binDir, path });
  expect(second).toMatchObject({ adopted: false, url: first.url });
  expect(await ask(second.url, 'get', 'kept')).toBe('42');
});

test('a Redis pid file that names another program is ignored', async () => {
  const first = await startRedis({ dir, binDir, path });
  await first.stop();
  writeFileSync(join(dir, 'redis.pid'), `${process.pid}\n`);
  const second = await startRedis({ dir, binDir, path });
  expect(second.adopted).toBe(false);
});

test('a start is refused with a remedy when the running Redis rejects the stored password', async () => {
  const first = await startRedis({ dir, binDir, path });
  const record = readFileSync(join(dir, 'server.json'), 'utf8');
  writeFileSync(join(dir, 'server.json'), record.replace(/"password":"[^"]+"/, `"password":"${'0'.repeat(48)}"`));
  await expect(startRedis({ dir, binDir, path })).rejects.toThrow(`kill ${first.pid}`);
  writeFileSync(join(dir, 'server.json'), record);
});

test('a Redis server that cannot start is reported with reason and remedy', async () => {
  const start = startRedis({ dir, binDir, path, settings: ['no-such-setting yes'] });
  await expect(start).rejects.toThrow(/Redis did not start[^]*no-such-setting[^]*REDIS_URL/);
});

test("a test's own Redis restarts at its address after a kill, with or without its data", async () => {
  const redis = await startOwnRedis(['appendfsync always']);
  await ask(redis.url, 'set', 'kept', '42');
  await redis.kill();
  await expect(ask(redis.url, 'ping')).rejects.toThrow();
  await redis.restart();
  expect(await ask(redis.url, 'get', 'kept')).toBe('42');
  await redis.restart({ empty: true });
  expect(await ask(redis.url, 'get', 'kept')).toBeNull();
  await redis.stop();
});

async function ask(url: string, command: string, ...words: string[]): Promise<unknown> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined); // the rejected call below says the same
  try {
    await redis.connect();
    return await redis.call(command, ...words);
  } finally {
    redis.disconnect();
  }
}
