import { randomBytes } from 'node:crypto';
import { INBOUND_TOPIC, type WakeUp } from '@signalbox/contracts/conversation/topics';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { startConsumer, type Consumer, type ConsumerOptions } from '@signalbox/platform/streams/consume';
import { createPublisher, type Publisher } from '@signalbox/platform/streams/publish';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { startOwnRedis } from '../../support/redis.ts';
import { eventually, until } from '../../support/until.ts';

const log = createLog('test', 'silent');
const wake = (userKey: string): WakeUp => ({ userKey, traceId: 't' });

describe('a consumer', () => {
  let prefix: string;
  let redis: Redis;
  let publisher: Publisher;
  let consumers: Consumer[];
  let key: string;
  beforeEach(() => {
    prefix = `c${randomBytes(4).toString('hex')}:`;
    key = `${prefix}{in:0}:messages`;
    redis = openRedis(inject('redisUrl'), log);
    publisher = createPublisher({ redis, prefix, partitions: 1 });
    consumers = [];
  });
  afterEach(async () => {
    await Promise.all(consumers.map((consumer) => consumer.close()));
    await closeRedis(redis);
  });

  const start = (
    options: Partial<ConsumerOptions<typeof INBOUND_TOPIC.schema>> &
      Pick<ConsumerOptions<typeof INBOUND_TOPIC.schema>, 'handle'>,
  ): Consumer => {
    const consumer = startConsumer({
      topic: INBOUND_TOPIC,
      redisUrl: inject('redisUrl'),
      prefix,
      partitions: 1,
      consumer: `c${consumers.length}`,
      slots: () => 4,
      waiting: () => 0,
      log,
      onUnreadable: () => Promise.resolve(),
      ...options,
    });
    consumers.push(consumer);
    return consumer;
  };
  const nothingLeft = async (): Promise<boolean> => (await redis.xlen(key)) === 0;

  it('handles each entry once, and deletes it', async () => {
    const seen: string[] = [];
    start({ handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }) });
    await publisher.publish(
      INBOUND_TOPIC,
      Array.from({ length: 50 }, (_, i) => wake(String(i))),
    );
    await until(nothingLeft);
    expect(seen.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('acknowledges entries together, and all of them before it has closed', async () => {
    const countCommands = async (): Promise<number> =>
      Number(/cmdstat_xack:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const seen: string[] = [];
    const consumer = start({
      slots: () => 20,
      handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }),
    });
    const before = await countCommands();
    await publisher.publish(
      INBOUND_TOPIC,
      Array.from({ length: 20 }, (_, i) => wake(String(i))),
    );
    await until(() => seen.length === 20);
    await consumer.close();
    expect(await nothingLeft()).toBe(true);
    expect((await countCommands()) - before).toBeLessThan(20);
  });

  it('reports an unreadable entry with the reason, and continues to read', async () => {
    const unreadable: string[] = [];
    const seen: string[] = [];
    await redis.xadd(key, '*', 'data', '{not json');
    await redis.xadd(key, '*', 'data', '{"userKey":""}');
    await redis.xadd(key, '*', 'other', 'x');
    await publisher.publish(INBOUND_TOPIC, [wake('good')]);
    start({
      handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }),
      onUnreadable: (_id, raw, detail) => Promise.resolve(void unreadable.push(`${raw}: ${detail}`)),
    });
    await until(nothingLeft);
    expect(seen).toEqual(['good']);
    expect(unreadable).toHaveLength(3);
    expect(unreadable[0]).toBe('{not json: not JSON');
  });

  it('recovers when its consumer group or the whole stream is deleted', async () => {
    const seen: string[] = [];
    start({ handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }) });
    await publisher.publish(INBOUND_TOPIC, [wake('before')]);
    await until(() => seen.includes('before'));
    await redis.xgroup('DESTROY', key, INBOUND_TOPIC.group);
    await publisher.publish(INBOUND_TOPIC, [wake('after group')]);
    await until(() => seen.includes('after group'));
    await redis.del(key);
    await publisher.publish(INBOUND_TOPIC, [wake('after stream')]);
    await until(() => seen.includes('after stream'));
  });

  it('keeps an entry pending when its handler fails, and retries the entry later', async () => {
    let tries = 0;
    start({
      claimIdleMs: 300,
      handle: () => {
        tries += 1;
        return tries === 1 ? Promise.reject(new Error('database away')) : Promise.resolve({ work: Promise.resolve() });
      },
    });
    await publisher.publish(INBOUND_TOPIC, [wake('1')]);
    await until(() => tries === 2);
    await until(nothingLeft);
  });

  it('takes over entries that a dead consumer had read and not completed', async () => {
    await redis.xgroup('CREATE', key, INBOUND_TOPIC.group, '0', 'MKSTREAM');
    await publisher.publish(INBOUND_TOPIC, [wake('orphan')]);
    await redis.xreadgroup('GROUP', INBOUND_TOPIC.group, 'dead', 'COUNT', 1, 'STREAMS', key, '>');
    const seen: string[] = [];
    start({
      claimIdleMs: 300,
      handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }),
    });
    await until(() => seen.includes('orphan'));
  });

  it('never runs more work at a time than it has slots', async () => {
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 15));
      running -= 1;
    };
    start({ slots: () => 3, handle: () => Promise.resolve({ work: work() }) });
    await publisher.publish(
      INBOUND_TOPIC,
      Array.from({ length: 40 }, (_, i) => wake(String(i))),
    );
    await until(nothingLeft);
    await eventually(
      async () => running,
      (count) => count === 0,
    );
    expect(most).toBe(3);
  });

  it('shares the partitions of a stream with other consumers', async () => {
    const seen: string[] = [];
    const many = createPublisher({ redis, prefix, partitions: 8 });
    const handle = ({ userKey }: WakeUp) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) });
    start({ partitions: 8, handle });
    start({ partitions: 8, handle });
    await many.publish(
      INBOUND_TOPIC,
      Array.from({ length: 64 }, (_, i) => wake(String(i))),
    );
    await until(() => seen.length === 64);
    expect(new Set(seen).size).toBe(64);
  });

  it('continues to read after Redis was killed and came back empty', async () => {
    const own = await startOwnRedis();
    const client = openRedis(own.url, log);
    const ownPublisher = createPublisher({ redis: client, prefix, partitions: 1 });
    const seen: string[] = [];
    const consumer = start({
      redisUrl: own.url,
      handle: ({ userKey }) => Promise.resolve({ work: Promise.resolve(void seen.push(userKey)) }),
    });
    try {
      await ownPublisher.publish(INBOUND_TOPIC, [wake('before')]);
      await until(() => seen.includes('before'));
      await own.kill();
      await until(() => !consumer.healthy());
      await own.restart({ empty: true });
      await until(async () => {
        await ownPublisher.publish(INBOUND_TOPIC, [wake('after')]);
        return seen.includes('after');
      });
      await until(() => consumer.healthy());
    } finally {
      await consumer.close();
      await closeRedis(client);
      await own.stop();
    }
  });
});
