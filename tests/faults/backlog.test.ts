import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { openRedis, closeRedis } from '@signalbox/platform/redis';
import { createPublisher, type CountingPublisher } from '@signalbox/platform/streams/publish';
import type { ModelScript } from '../support/scripted-model.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echo } from '../support/echo.ts';
import { eventually } from '../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';

let bench: WorkerBench;
let publisher: CountingPublisher;
let closeIt: () => Promise<void>;
beforeEach(async () => {
  bench = await openWorkerBench();
  const redis = openRedis(bench.redisUrl, bench.log);
  publisher = createPublisher({ redis, prefix: bench.prefix, partitions: 1 });
  closeIt = () => closeRedis(redis);
});
afterEach(async () => {
  await closeIt();
  await bench.close();
});

/** Messages that came while no worker ran: `each` of every person, in turns. */
async function leaveBacklog(people: number, each: number): Promise<readonly string[]> {
  const users = Array.from({ length: people }, (_, n) => `8${n}`);
  for (const user of users) await bench.addPerson(user);
  for (let n = 0; n < each; n++) await Promise.all(users.map((user) => bench.say(user, `m${n}`, { silent: true })));
  return users;
}

const open = async (): Promise<number> =>
  (await bench.pool.query('select 1 from inbox where outcome is null')).rowCount ?? 0;

/** A model that computes as long as the offline planner does over a long request: nothing else runs in that time. */
function computing(ms: number): ModelScript {
  const answer = echo();
  return (messages, tools, ...rest) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
    return answer(messages, tools, ...rest);
  };
}

describe('a backlog of messages that waits when a worker starts', () => {
  it('is worked off turn by turn, and not claimed as a whole', async () => {
    const users = await leaveBacklog(40, 3);
    await publisher.publish(
      INBOUND_TOPIC,
      users.map((userKey) => ({ userKey, traceId: 't' })),
    );
    await bench.startWorker({ script: computing(40) });
    await eventually(open, (count) => count === 0, 50_000);
    const { rows } = await bench.pool.query<{ before: number }>(
      'select count(*)::int as before from turns where started_at < (select min(ended_at) from turns)',
    );
    // A worker that claims what it can hold has claimed all of them by then.
    expect(rows[0]?.before).toBeLessThan(16);
  });

  it('is claimed as a whole while its turns wait for their model', async () => {
    const users = await leaveBacklog(32, 1);
    await publisher.publish(
      INBOUND_TOPIC,
      users.map((userKey) => ({ userKey, traceId: 't' })),
    );
    await bench.startWorker({ script: echo(() => 8_000) });
    await eventually(
      async () => (await bench.pool.query('select 1 from lanes where worker is not null')).rowCount,
      (count) => count === 32,
      7_500,
    );
  });

  it('of hundreds is claimed as a whole while its turns wait for their model, whatever the order of the wake-ups', async () => {
    const people = 400;
    const users = await leaveBacklog(people, 1);
    const shuffled = users.map((_, n) => ({ userKey: users[(n * 7) % people] ?? '', traceId: 't' }));
    await publisher.publish(INBOUND_TOPIC, shuffled);
    await bench.startWorker({ script: echo(() => 40_000) });
    // Lanes whose wake-up was spent on others wait for the sweeper, which takes more than twice as long.
    await eventually(
      async () => (await bench.pool.query('select 1 from lanes where worker is not null')).rowCount,
      (count) => count === people,
      12_000,
    );
  }, 90_000);

  it('is not announced in the stream again while its first wake-ups are unread', async () => {
    const users = await leaveBacklog(300, 1);
    await bench.pool.query(`update inbox set received_at = now() - interval '1 hour'`);
    await publisher.publish(
      INBOUND_TOPIC,
      users.map((userKey) => ({ userKey, traceId: 't' })),
    );
    // The worker is busy with the first ones: the rest stays in the stream.
    await bench.startWorker({ script: computing(200) });
    await new Promise((resolve) => setTimeout(resolve, 4_000)); // four sweeps
    expect(await publisher.waiting(INBOUND_TOPIC)).toBeLessThan(300 + 4 * 50);
  });

  it.each([
    [
      'each person wrote all of theirs at once',
      (people: number, each: number, n: number) => Math.floor(n / each) % people,
    ],
    ['people wrote by turns', (people: number, _: number, n: number) => n % people],
  ])('is served oldest first by two workers when %s, and each person in order', async (_, personOf) => {
    const [people, each] = [60, 5];
    for (let n = 0; n < people; n++) await bench.addPerson(`8${n}`);
    const ids: number[] = [];
    // Messages of two chats never become one turn.
    for (let n = 0; n < people * each; n++) {
      const person = personOf(people, each, n);
      const chatKey = `telegram:${ids.length % 2 === 0 ? '' : '-'}8${person}${Math.floor(n / people) % 2}${n % 2}`;
      ids.push(await bench.say(`8${person}`, `m${n}`, { silent: true, chatKey }));
    }
    // A Redis that was lost: wake-ups come back in no order, one for each message.
    const wakeUps = ids.map((__, n) => ({ userKey: `8${personOf(people, each, (n * 7) % ids.length)}`, traceId: 't' }));
    await publisher.publish(INBOUND_TOPIC, wakeUps);
    for (const script of [computing(40), computing(40)]) await bench.startWorker({ script });
    await eventually(open, (count) => count === 0, 50_000);
    const { rows } = await bench.pool.query<{ id: number; key: string; place: number }>(
      `select i.id::int, i.user_key as key, row_number() over (order by t.started_at)::int as place from inbox i join turns t using (turn_id)`,
    );
    expect(rows).toHaveLength(ids.length);
    // Each person's in order, and nobody's message is answered long before older ones of others.
    const sorted = rows.toSorted((a, b) => a.place - b.place);
    for (const key of new Set(rows.map((row) => row.key))) {
      const own = sorted.filter((row) => row.key === key).map(({ id }) => id);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    const overtaken = sorted.map(
      ({ id }, place) => new Set(sorted.slice(place).flatMap((row) => (row.id < id ? [row.key] : []))).size,
    );
    expect(Math.max(...overtaken)).toBeLessThan(people / 2);
  });
});
