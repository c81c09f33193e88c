/*
 * How a worker that starts drains what waits for it, as a share of the rate at which the same worker handles messages that come one
 * after the other, and what memory it takes. The worker is a process of its own with the offline model; each message is the first of
 * another person. The time before the first answer is left out of the rate, and printed. The worker's heap has a limit that is the same
 * however many messages wait.
 * `npm run bench -- backlog 20000` waits with more messages than the usual 2,000.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { openPool } from '@signalbox/store/pool';
import { startBenchServers } from '../support/bench-servers.ts';

const WAITING = Number(process.argv[2] ?? 2_000);
/** More than the slots of the worker: it never waits for a message. */
const IN_FLIGHT = 64;
const STEADY_MS = 20_000;
const LOOK_MS = 500;
/** A worker that kept what it has handled would end for want of memory: what it needs is about a third of this. */
const HEAP_MB = 192;

const root = fileURLToPath(new URL('../../', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'sb-bench-'));
const log = createLog('bench', 'silent');
const servers = await startBenchServers(dir, null);
const { postgres, redis } = servers;
const pool = openPool(postgres.url, log, { name: 'bench', max: 2, as: 'owner' });
const connection = openRedis(redis.url, log);
const publisher = createPublisher({ redis: connection, prefix: '', partitions: 1 });

let people = 0;
/** One message each of so many new people, as the gateway writes and announces them. */
async function say(count: number): Promise<void> {
  const from = people + 1;
  people += count;
  await pool.query(
    `with p as (select n, 'u' || n as key from generate_series($1::int, $2::int) n),
          u as (insert into users (user_key, channel, name, role) select key, 'telegram', 'P' || n, 'viewer' from p),
          l as (insert into lanes (user_key) select key from p)
     insert into inbox (channel, bot, update_id, user_key, chat_key, kind, trace_id, envelope)
     select 'telegram', '100', n::text, key, 'telegram:' || n, 'message', 'trc_' || n, jsonb_build_object(
       'id', 'telegram:100:' || n, 'channel', 'telegram', 'bot', '100', 'updateId', n::text, 'userKey', key, 'chatKey', 'telegram:' || n,
       'traceId', 'trc_' || n, 'at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'chatKind', 'private', 'name', 'P' || n,
       'kind', 'message', 'text', 'list the projects', 'messageId', n::text, 'button', null)
     from p`,
    [from, people],
  );
  const keys = Array.from({ length: count }, (_, index) => `u${from + index}`);
  await publisher.publish(
    INBOUND_TOPIC,
    keys.map((userKey) => ({ userKey, traceId: 'trc_bench' })),
  );
}

const settled = async (): Promise<number> =>
  Number((await pool.query<{ n: string }>('select count(*) as n from inbox where outcome is not null')).rows[0]?.n);

await say(WAITING);
const startedAt = performance.now();
const main = join(root, 'services/worker/src/main.ts');
const env = servers.env('worker', { MODEL: 'offline', LOG_LEVEL: 'error' });
const worker = spawn(
  process.execPath,
  [`--max-old-space-size=${HEAP_MB}`, '--conditions=source', '--import', 'tsx', main],
  {
    env,
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
/** Of the worker, in MB: now, and the most that it ever had. */
const memory = (field: 'VmRSS' | 'VmHWM'): number =>
  Math.round(
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) /
      1_024,
  );
try {
  const seen: { readonly at: number; readonly count: number; readonly rss: number }[] = [];
  while ((seen.at(-1)?.count ?? 0) < WAITING) {
    const ended = worker.exitCode ?? worker.signalCode;
    if (ended !== null) throw new Error(`the worker ended with ${ended}`);
    const count = await settled();
    if (count > 0) seen.push({ at: performance.now(), count, rss: memory('VmRSS') });
    await delay(LOOK_MS);
  }
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last) throw new Error('nothing was settled');
  const rateFrom = (from: (typeof seen)[number]): number => ((last.count - from.count) / (last.at - from.at)) * 1_000;
  const drain = rateFrom(first);
  // The first half is also that in which the process warms up.
  const warm = rateFrom(seen.find((one) => one.count >= WAITING / 2) ?? first);
  const peak = memory('VmHWM');

  await say(IN_FLIGHT);
  const begin = { at: performance.now(), count: await settled() };
  let count = begin.count;
  while (performance.now() - begin.at < STEADY_MS) {
    await delay(LOOK_MS / 5);
    const now = await settled();
    if (now > count) await say(now - count);
    count = now;
  }
  const steady = ((count - begin.count) / (performance.now() - begin.at)) * 1_000;
  const rssAt = (share: number): number => seen.find((one) => one.count >= share * WAITING)?.rss ?? Number.NaN;
  console.table({
    'messages that waited': WAITING,
    'first answer after s': ((first.at - startedAt) / 1_000).toFixed(1),
    'backlog /s': drain.toFixed(1),
    'backlog /s, second half': warm.toFixed(1),
    'busy /s': steady.toFixed(1),
    'backlog : busy': (drain / steady).toFixed(2),
    'second half : busy': (warm / steady).toFixed(2),
    'RSS MB at 10, 25, 50, 75, 100 %': [0.1, 0.25, 0.5, 0.75, 1].map(rssAt).join(', '),
    'peak MB of the backlog': peak,
    'peak MB in all': memory('VmHWM'),
  });
} finally {
  worker.kill('SIGKILL');
  await closeRedis(connection);
  await pool.end();
  await servers.stop();
  rmSync(dir, { recursive: true, force: true });
}
