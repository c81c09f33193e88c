import { setTimeout as sleep } from 'node:timers/promises';
import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { MEMORY_FLAGS } from '@signalbox/local/supervisor/programs';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { openPool, type Pool } from '@signalbox/store/pool';
import { startBenchServers } from '../../support/bench-servers.ts';
import { cpuOf, memoryOf, startProcess, type Process } from './processes.ts';
import { startSlowModel } from './slow-model.ts';

/** Each person writes to the bot in two chats by turns, so that no two messages become one turn. */
const EACH = 10;
/** More than may compute at once: the busy worker never waits for a message. */
const IN_FLIGHT = 64;
const BUSY_MS = 20_000;
const LOOK_MS = 500;
const MAX_STILL_MS = 60_000;

export interface Backlog {
  readonly messages: number;
  readonly firstAnswerSeconds: number;
  /** Answers a second, from the first answer to the last one. */
  readonly drainPerSecond: number;
  /** Answers a second of the same worker afterwards, while messages of the same kind keep coming. */
  readonly busyPerSecond: number;
  /** Megabytes of the worker when a tenth, a half and all of the backlog was done. */
  readonly megabytes: readonly number[];
  readonly peakMegabytes: number;
  /** CPU of the worker and Postgres per answer: it tells the two apart where others use the machine too. */
  readonly cpuMs: number;
  readonly busyCpuMs: number;
}

/** How the worker that ships drains what so many people wrote while no worker ran. */
export async function measureBacklog(dir: string, people: number): Promise<Backlog> {
  const log = createLog('bench', 'silent');
  const model = await startSlowModel();
  const servers = await startBenchServers(dir, null);
  const pool = openPool(servers.postgres.url, log, { name: 'bench', max: 2, as: 'owner' });
  const redis = openRedis(servers.redis.url, log);
  const publisher = createPublisher({ redis, prefix: '', partitions: 1 });
  let worker: Process | null = null;
  try {
    const write = async (from: number, count: number, width: number): Promise<void> => {
      const keys = await insertMessages(pool, from, count, width);
      const wakeUps = keys.map((userKey) => ({ userKey, traceId: 'trc_bench' }));
      await publisher.publish(INBOUND_TOPIC, wakeUps);
    };
    const messages = people * EACH;
    await write(0, messages, people);
    const settings = { MODEL: 'openai_compatible:slow', OPENAI_COMPATIBLE_BASE_URL: model.url };
    const startedAt = performance.now();
    worker = await startProcess(
      'worker',
      [...MEMORY_FLAGS, 'services/worker/dist/main.js'],
      servers.env('worker', settings),
    );
    const { pid } = worker;
    const look = async (): Promise<Seen> => ({
      at: performance.now(),
      count: await countSettled(pool),
      megabytes: memoryOf(pid),
      cpuMs: cpuOf(pid) + cpuOf(servers.postgres.pid),
    });
    const seen = await watchDrain(messages, look);
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last) throw new Error('nothing was settled');
    const busyPerSecond = await measureBusy(pool, messages, write);
    const end = await look();
    return {
      messages,
      firstAnswerSeconds: (first.at - startedAt) / 1_000,
      drainPerSecond: rateBetween(first, last),
      busyPerSecond,
      megabytes: [0.1, 0.5, 1].map((share) => seen.find(({ count }) => count >= share * messages)?.megabytes ?? NaN),
      peakMegabytes: Math.max(...seen.map(({ megabytes }) => megabytes)),
      cpuMs: cpuBetween(first, last),
      busyCpuMs: cpuBetween(last, end),
    };
  } finally {
    await worker?.stop();
    await closeRedis(redis);
    await pool.end();
    await servers.stop();
    await model.close();
  }
}

interface Seen {
  readonly at: number;
  readonly count: number;
  readonly megabytes: number;
  /** Of the worker and Postgres so far. */
  readonly cpuMs: number;
}

function cpuBetween(from: Seen, to: Seen): number {
  return (to.cpuMs - from.cpuMs) / (to.count - from.count);
}

async function watchDrain(messages: number, look: () => Promise<Seen>): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let movedAt = performance.now();
  for (let count = 0; count < messages; await sleep(LOOK_MS)) {
    const now = await look();
    if (now.count > count) movedAt = now.at;
    if (now.at - movedAt > MAX_STILL_MS) throw new Error(`${now.count} of ${messages} were settled, and no more`);
    count = now.count;
    if (count > 0) seen.push(now);
  }
  return seen;
}

async function measureBusy(
  pool: Pool,
  before: number,
  write: (from: number, count: number, width: number) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  let [written, settled] = [0, 0];
  while (performance.now() - startedAt < BUSY_MS) {
    const missing = IN_FLIGHT - (written - settled);
    if (missing > 0) await write(before + written, missing, IN_FLIGHT);
    written += Math.max(0, missing);
    await sleep(LOOK_MS / 20);
    settled = (await countSettled(pool)) - before;
  }
  return (settled * 1_000) / (performance.now() - startedAt);
}

function rateBetween(first: Seen, last: Seen): number {
  return ((last.count - first.count) / (last.at - first.at)) * 1_000;
}

async function countSettled(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from inbox where outcome is not null');
  return rows[0]?.n ?? 0;
}

/**
 * Inserts messages as the gateway does. `width` people write by turns, each EACH times, and then the next people. Returns who wrote, in
 * order.
 */
async function insertMessages(pool: Pool, from: number, count: number, width: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `with m as (select n, (n / ($3::int * $4::int)) * $3 + n % $3 + case when $1 = 0 then 0 else 1000000 end as person, (n / $3) % 2 as odd
                  from generate_series($1::int, $2::int) n),
          k as (select n, 'u' || person as key, person, case odd when 0 then 'telegram:' else 'telegram:-' end || (person + 1) as chat from m),
          u as (insert into users (user_key, channel, name, role) select distinct key, 'telegram', 'P', 'viewer' from k on conflict do nothing),
          l as (insert into lanes (user_key) select distinct key from k on conflict do nothing),
          i as (insert into inbox (channel, bot, update_id, user_key, chat_key, kind, trace_id, envelope)
                select 'telegram', '100', n::text, key, chat, 'message', 'trc_' || n, jsonb_build_object(
                  'id', 'telegram:100:' || n, 'channel', 'telegram', 'bot', '100', 'updateId', n::text, 'userKey', key, 'chatKey', chat,
                  'traceId', 'trc_' || n, 'at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'chatKind', 'private',
                  'name', 'P', 'kind', 'message', 'text', 'wait 0 s 1 times, number ' || n, 'messageId', n::text, 'button', null)
                from k order by n)
     select key from k order by n`,
    [from, from + count - 1, width, EACH],
  );
  return rows.map(({ key }) => key);
}
