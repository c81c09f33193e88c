import { sleep } from '@signalbox/contracts/time';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTerminal } from '../integration/cli/terminal.ts';
import type { Person } from '../support/person.ts';
import { startOwnRedis, type OwnRedis } from '../support/redis.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// What is broken is ours: a Redis without memory, and a full disk for the audit's checkpoints.
let redis: OwnRedis;
let disk: SmallDisk;
let stack: Stack;
let jobs: ServiceProcess;
let ada: Person;

beforeAll(async () => {
  redis = await startOwnRedis(['maxmemory 16mb', 'maxmemory-policy noeviction']);
  disk = mountSmallDisk('checkpoints', 2);
  stack = await openStack({ redisUrl: redis.url });
  const settings = { AUDIT_CHECKPOINT_DIR: disk.folder, AUDIT_CHECKPOINT_MS: '0' };
  jobs = await startService('jobs', 'own-faults', { ...stack.wiring.env('maintenance'), ...settings });
  ada = await stack.person(83_001, 'admin');
  await ada.ask('hello');
}, 180_000);
afterAll(async () => {
  await jobs.stop();
  await stack.close();
  await redis.stop();
  disk.unmount();
});

const doctor = async (): Promise<string> =>
  (await openTerminal({ DATABASE_URL: stack.databaseUrl, REDIS_URL: redis.url, REDIS_PREFIX: stack.prefix })('doctor'))
    .out;
const isTold = (pattern: RegExp): Promise<unknown> =>
  until(async () => (await ada.heard()).some(({ text }) => pattern.test(text)), 60_000);

it('a Redis that is out of memory is reported to the admins, on /readyz and by doctor, and messages are answered later', async () => {
  const client = openRedis(redis.url, createLog('test', 'silent'));
  const fill = (n: number): Promise<boolean> =>
    client.set(`ballast:${n}`, Buffer.alloc(64 * 1024)).then(
      () => true,
      (error: unknown) => !String(error).includes('OOM'),
    );
  let blocks = 1;
  while (await fill(blocks)) blocks += 1;
  const heard = (await ada.heard()).length;
  await ada.send('create a project called shop for tea');
  await isTold(/Redis accepts no more writes/);
  expect(await jobs.ready()).toMatch(/^503 [^]*Redis accepts no more writes: it uses \d+ of 16 MB/);
  expect(await doctor()).toMatch(/✗ fail +memory +accepts no more writes[^]*✗ fail +faults +redis-full/);
  for (let n = 1; n <= blocks; n += 1) await client.del(`ballast:${n}`);
  await closeRedis(client);
  await until(async () => (await jobs.ready()).startsWith('200'), 30_000);
  await until(async () => (await ada.heard()).length > heard + 1, 60_000);
  expect((await stack.pool.query('select 1 from dead_letters')).rowCount).toBe(0);
});

it('an outage of Redis and its end are reported to the admins once each, and a quick restart is not', async () => {
  const about = async (pattern: RegExp): Promise<number> =>
    (await ada.heard()).filter(({ text }) => pattern.test(text)).length;
  await redis.restart();
  await until(async () => (await jobs.ready()).startsWith('200'), 30_000);
  await redis.kill();
  await ada.send('hello again');
  await isTold(/Redis does not answer at 127/);
  expect(await jobs.ready()).toMatch(/^503 Redis does not answer/);
  await sleep(12_000);
  const heard = (await ada.heard()).length;
  await redis.restart();
  await until(async () => (await jobs.ready()).startsWith('200'), 30_000);
  await until(async () => (await ada.heard()).length > heard, 60_000);
  await stack.pool.query(`update incidents set closed_at = closed_at - interval '3 minutes' where kind = 'redis-away'`);
  await isTold(/^✅ Redis answers again\.$/);
  expect([await about(/Redis does not answer/), await about(/Redis answers again/)]).toEqual([1, 1]);
}, 180_000);

it('a full disk for audit checkpoints is reported to the admins, on /readyz and by doctor', async () => {
  disk.fill();
  let asked = 0;
  await until(async () => {
    // The page that the file has begun still takes some lines.
    await ada.ask(`create a project called news${(asked += 1)} for news`);
    return (await ada.heard()).some(({ text }) => /checkpoints cannot be written: ENOSPC/.test(text));
  }, 60_000);
  expect(await jobs.ready()).toMatch(/^200 ready\n[^]*audit-unwritten: ENOSPC/);
  expect(await doctor()).toMatch(/✗ fail +faults +audit-unwritten: ENOSPC/);
  disk.free();
  await until(async () => !(await jobs.ready()).includes('audit-unwritten'), 60_000);
});
