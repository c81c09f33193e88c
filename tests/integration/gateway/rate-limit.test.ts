import { createRateLimit, type RateLimit } from '@signalbox/gateway/admission/rate-limit';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnRedis, type OwnRedis } from '../../support/redis.ts';

const log = createLog('test', 'silent');
let server: OwnRedis;
let redis: ReturnType<typeof openRedis>;
let limit: RateLimit;
beforeAll(async () => {
  server = await startOwnRedis();
  redis = openRedis(server.url, log);
  await redis.ping();
  limit = createRateLimit({ redis, prefix: 'limit:', maxPerWindow: 3, log });
});
afterAll(async () => {
  await closeRedis(redis);
  await server.stop();
});

/** Messages of one person, so many seconds apart. */
const written = (userKey: string, count: number, secondsApart: number, first = 0, kind = 'text') =>
  Array.from({ length: count }, (_, n) => ({
    kind,
    updateId: String(first + n),
    userKey,
    at: new Date(Date.UTC(2026, 0, 1) + n * secondsApart * 1_000).toISOString(),
  }));

it('messages written in quick succession exceed the limit, even when they arrive in two deliveries', async () => {
  expect(await limit.check(written('hasty', 2, 1))).toEqual([true, true]);
  expect(await limit.check(written('hasty', 3, 1, 2))).toEqual([true, false, false]);
});

it('a message that is delivered repeatedly while the database is away counts once', async () => {
  const given = written('unlucky', 3, 1);
  for (let attempt = 0; attempt < 10; attempt++) expect(await limit.check(given)).toEqual([true, true, true]);
  expect(await limit.check(written('unlucky', 4, 1))).toEqual([true, true, true, false]);
});

it('messages written slowly are within the limit, even when they arrive at once', async () => {
  expect(await limit.check(written('patient', 12, 10))).toEqual(Array.from({ length: 12 }, () => true));
});

it('each person has a limit of their own', async () => {
  const both = [...written('ben', 3, 0), ...written('cleo', 3, 0)];
  expect(await limit.check(both)).toEqual(both.map(() => true));
});

it('button presses after an outage do not count as messages', async () => {
  expect(await limit.check(written('waiting', 4, 0, 100, 'press'))).toEqual([true, true, true, false]);
  expect(await limit.check(written('waiting', 3, 0))).toEqual([true, true, true]);
});
