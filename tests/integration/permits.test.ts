import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@signalbox/platform/log';
import { createPermitQueues, type Permit, type PermitQueue } from '@signalbox/platform/permits/permit-queue';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startOwnRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

const log = createLog('test', 'silent');
const LONG_MS = 20_000;

interface Process {
  readonly queue: PermitQueue;
  readonly redis: Redis;
}

interface World {
  readonly one: Process;
  readonly other: Process;
  /** The members of a set of the queue in Redis. */
  members(set: 'permits' | 'queue'): Promise<readonly string[]>;
  readonly keyOf: (set: string) => string;
}

/** Two processes with one queue. */
async function openWorld(max: number | null, url = inject('redisUrl')): Promise<World> {
  const prefix = `p${randomBytes(4).toString('hex')}:`;
  const open = async (): Promise<Process> => {
    const redis = openRedis(url, log);
    onTestFinished(() => closeRedis(redis));
    await redis.ping();
    return { redis, queue: createPermitQueues({ redis, prefix, max, log })('test') };
  };
  const [one, other] = [await open(), await open()];
  const keyOf = (set: string): string => `${prefix}{permits:test}:${set}`;
  return { one, other, keyOf, members: (set) => one.redis.zrange(keyOf(set), '0', '-1') };
}

function enter(
  { queue }: Process,
  person: string,
  more: Partial<Parameters<PermitQueue['enter']>[0]> = {},
): Promise<Permit | null> {
  const signal = new AbortController().signal;
  return queue.enter({ person, signal, patienceMs: LONG_MS, isBack: false, onWait: () => undefined, ...more });
}

async function take(process: Process, person: string): Promise<Permit> {
  const permit = await enter(process, person);
  if (!permit) throw new Error('no permit was given');
  return permit;
}

test('two processes together run no more calls than configured, and every call runs', async () => {
  const { one, other } = await openWorld(3);
  let [running, most, done] = [0, 0, 0];
  const call = async (at: number): Promise<void> => {
    const permit = await take(at % 2 === 0 ? one : other, `person-${at}`);
    running += 1;
    most = Math.max(most, running);
    await sleep(20);
    running -= 1;
    done += 1;
    permit.leave();
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => call(at)));
  expect({ most, done }).toEqual({ most: 3, done: 20 });
});

test("a person's ten calls do not stand before another person's first call", async () => {
  const { one, other, members } = await openWorld(1);
  const held = await take(one, 'ann');
  const order: string[] = [];
  const call = async (process: Process, person: string): Promise<void> => {
    const permit = await take(process, person);
    order.push(person);
    permit.leave();
  };
  const calls = Array.from({ length: 10 }, () => call(one, 'ann'));
  await until(async () => (await members('queue')).length === 10);
  calls.push(call(other, 'ben'));
  await until(async () => (await members('queue')).length === 11);
  calls.push(call(other, 'cyd'));
  await until(async () => (await members('queue')).length === 12);
  held.leave();
  await Promise.all(calls);
  expect(order.slice(0, 3).toSorted()).toEqual(['ann', 'ben', 'cyd']);
  expect(order.slice(3)).toEqual(Array.from({ length: 9 }, () => 'ann'));
});

test('after a refusal nobody enters until its pause is over, and then no more than were not refused', async () => {
  const { one, other } = await openWorld(null);
  const permits = [await take(one, 'a'), await take(other, 'b'), await take(one, 'c'), await take(other, 'd')];
  const refusedAt = performance.now();
  await permits[0]?.refuse(1_000);
  await permits[1]?.refuse(600);
  const back = await enter(other, 'a', { isBack: true, patienceMs: 500 });
  expect(back).toBeNull(); // its pause is longer than its patience
  for (const permit of permits) permit.leave();
  let running = 0;
  let most = 0;
  await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map(async (person) => {
      const permit = await take(one, person);
      expect(performance.now() - refusedAt).toBeGreaterThan(950);
      running += 1;
      most = Math.max(most, running);
      await sleep(30);
      running -= 1;
      permit.leave();
    }),
  );
  expect(most).toBe(2);
});

test('a refused call goes before those that wait', async () => {
  const { one, other, members } = await openWorld(1);
  const first = await take(one, 'ann');
  const order: string[] = [];
  const call = async (person: string, isBack: boolean): Promise<void> => {
    const permit = await enter(other, person, { isBack });
    order.push(person);
    permit?.leave();
  };
  const calls = [call('ben', false)];
  await until(async () => (await members('queue')).length === 1);
  await first.refuse(300);
  calls.push(call('ann', true));
  await Promise.all(calls);
  expect(order).toEqual(['ann', 'ben']);
});

test('permits of a dead process run out, and its waiting calls are forgotten', async () => {
  const { one, other, members, keyOf } = await openWorld(1);
  await take(one, 'ann');
  const [permit = ''] = await members('permits');
  const waits = enter(one, 'ben', { patienceMs: 1_000 });
  await until(async () => (await members('queue')).length === 1);
  one.redis.disconnect();
  expect(await waits).toBeNull();
  await other.redis.zadd(keyOf('permits'), 1, permit); // its lease is over
  expect(await enter(other, 'cyd')).not.toBeNull();
});

test('a call that is stopped leaves the queue at once', async () => {
  const { one, other, members } = await openWorld(1);
  await take(one, 'ann');
  const stop = new AbortController();
  const waiting = enter(other, 'ben', { signal: stop.signal });
  await until(async () => (await members('queue')).length === 1);
  const stoppedAt = performance.now();
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  expect(performance.now() - stoppedAt).toBeLessThan(200);
  await until(async () => (await members('queue')).length === 0);
});

test('a long wait tells the number of calls before it, and its end', async () => {
  const { one, other } = await openWorld(1);
  const held = await take(one, 'ann');
  const told: (number | null)[] = [];
  const first = enter(one, 'ben');
  const second = enter(other, 'cyd', { onWait: (before) => told.push(before) });
  await until(() => told.length > 0, 10_000);
  expect(told).toEqual([1]);
  held.leave();
  (await first)?.leave();
  await second;
  expect(told).toEqual([1, null]);
});

test('an emptied Redis loses no waiting call', async () => {
  const { one, other, keyOf, members } = await openWorld(1);
  await take(one, 'ann');
  const waiting = enter(other, 'ben');
  await until(async () => (await members('queue')).length === 1);
  await one.redis.del(...['permits', 'queue', 'seen', 'turns', 'state'].map(keyOf));
  expect(await waiting).not.toBeNull();
});

test('without Redis each process keeps its own limit and its own pause, and nothing hangs', async () => {
  const server = await startOwnRedis();
  onTestFinished(() => server.stop());
  const { one } = await openWorld(2, server.url);
  await server.kill();
  await until(() => one.redis.status !== 'ready');
  const startedAt = performance.now();
  const [first, second] = [await take(one, 'ann'), await take(one, 'ben')];
  expect(await enter(one, 'cyd', { patienceMs: 300 })).toBeNull();
  second.leave();
  await first.refuse(500);
  (await take(one, 'cyd')).leave();
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
