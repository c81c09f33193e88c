import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { INDEXED, openJobsBench, until, type JobsBench } from '../jobs/bench.ts';
import { readWorkOverview } from '@signalbox/store/turns/overview';
import { openTerminal, type Written } from './terminal.ts';

let bench: JobsBench;
let signalbox: (...words: readonly string[]) => Promise<Written>;

beforeEach(async () => {
  bench = await openJobsBench();
  signalbox = openTerminal({
    DATABASE_URL: bench.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: bench.prefix,
  });
});
afterEach(() => bench.close());

/** Runs as they are found in a table: the newest last. */
const insert = async (rows: readonly Record<string, unknown>[]): Promise<void> => {
  for (const [at, row] of rows.entries())
    await bench.pool.query(
      `insert into runs (run_id, job, payload, user_key, trace_id, status, error, result, created_at)
       values ($1, $2, $3, $4, 'trc', $5, $6, $7, now() - $8 * interval '1 minute')`,
      [
        row['id'],
        row['job'] ?? 'deploy.run',
        row['payload'] ?? {},
        row['person'] ?? null,
        row['status'] ?? 'done',
        row['error'] ?? null,
        row['result'] ?? null,
        row['minutes'] ?? rows.length - at,
      ],
    );
};
const found = async (...words: readonly string[]): Promise<readonly string[]> =>
  ((await signalbox('runs', ...words, '--json')).json as { runId: string }[]).map(({ runId }) => runId);

it('`runs` finds runs by job, person, start time and words in their text', async () => {
  await insert([
    { id: 'old', job: 'knowledge.index', minutes: 3_000 },
    { id: 'shop', payload: { project: 'shop', environment: 'staging' }, person: '1001', result: { release: '1.4.2' } },
    {
      id: 'blog',
      payload: { project: 'blog' },
      person: '1002',
      status: 'failed',
      error: 'The build failed: npm ci ended with 1.',
    },
    { id: 'waits', status: 'queued', person: '1001' },
  ]);
  expect(await found()).toEqual(['waits', 'blog', 'shop', 'old']);
  expect(await found('--job', 'knowledge.index')).toEqual(['old']);
  expect(await found('--status', 'failed')).toEqual(['blog']);
  expect(await found('--project', 'shop')).toEqual(['shop']);
  expect(await found('--person', '1001')).toEqual(['waits', 'shop']);
  expect(await found('--since', '1d')).toEqual(['waits', 'blog', 'shop']);
  expect(await found('--text', 'build failed')).toEqual(['blog']);
  expect(await found('--text', '1.4.2')).toEqual(['shop']);
  expect(await found('--text', 'nothing like it')).toEqual([]);
  expect(await found('--person', '1001', '--limit', '1')).toEqual(['waits']);
  const { out } = await signalbox('runs', '--status', 'failed');
  expect(out).toMatch(/blog +deploy\.run +failed +1002 .*The build failed: npm ci ended with 1\./);
  // A run that did its work well, and whose deployment failed, has failed.
  const failure = { state: 'building', sentence: 'The build failed: tsc ended with 2.' };
  await insert([{ id: 'site', payload: { project: 'site' }, result: { state: 'failed', failure } }]);
  await bench.pool.query(`update runs set finished_at = now() where run_id in ('site', 'blog', 'shop')`);
  expect(await found('--status', 'failed')).toEqual(['site', 'blog']);
  expect((await signalbox('runs')).out).toMatch(/site +deploy\.run +failed .*The build failed: tsc ended with 2\./);
  const { pools } = (await signalbox('queues', '--json')).json as {
    pools: { pool: string; done: number; failed: number }[];
  };
  expect(pools.find(({ pool }) => pool === 'deploy')).toMatchObject({ done: 1, failed: 2 });
  const { jobs } = await readWorkOverview(bench.pool, null);
  expect(jobs).toContainEqual({ job: 'deploy.run', status: 'failed', count: 2 });
  const since = await signalbox('runs', '--since', 'yesterday');
  expect(since).toMatchObject({ code: 2, error: expect.stringContaining('such as 90m or 1d') as string });
});

it('the search for words in runs uses an index among thousands of runs', async () => {
  await bench.pool.query(
    `insert into runs (run_id, job, payload, trace_id, status) select 'r' || n, 'deploy.run', '{}', 't', 'done' from generate_series(1, 5000) n`,
  );
  await bench.pool.query('analyze runs');
  const { rows } = await bench.pool.query<{ 'QUERY PLAN': string }>(
    `explain select 1 from runs where run_words(job, payload, result, error) @@ websearch_to_tsquery('simple', 'rare')`,
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('runs_by_words');
});

it('`runs show` shows all fields of a run, and says where to look when the run does not exist', async () => {
  await bench.ask('act_1', '1001');
  const { out } = await signalbox('runs', 'show', 'act_1');
  expect(out).toContain('act_1  queued');
  expect(out).toContain('job knowledge.index, attempt 0, person 1001, chat telegram:1001');
  const missing = await signalbox('runs', 'show', 'act_2');
  expect(missing).toMatchObject({ code: 1, error: expect.stringContaining('see `runs`') as string });
});

it('`runs cancel` cancels a run once its handler has stopped, and notifies the requester', async () => {
  let hasStopped = false;
  bench.startRunner(async (_payload, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    hasStopped = true;
    throw new Error('stopped');
  });
  await bench.ask('act_1');
  await until(async () => (await bench.runs.find('act_1'))?.status === 'running');
  const { out, code } = await signalbox('runs', 'cancel', 'act_1');
  expect({ out, code, hasStopped }).toEqual({
    out: 'act_1 is cancelled: whoever worked on it has stopped.\n',
    code: 0,
    hasStopped: true,
  });
  expect((await signalbox('runs', 'show', 'act_1')).out).toMatch(/cancelled .* by cli:\S+@\S+/);
  expect(await bench.told()).toMatchObject([{ outcome: 'failed', say: 'Indexing was cancelled.' }]);
});

it('a finished run cannot be cancelled, and the answer says why', async () => {
  bench.startRunner(async () => INDEXED);
  await bench.ask('act_1');
  await until(async () => (await bench.runs.find('act_1'))?.status === 'done');
  const { out, code } = await signalbox('runs', 'cancel', 'act_1');
  expect({ out, code }).toEqual({ out: 'act_1 was not cancelled: it is done.\n', code: 1 });
});

it('`queues` shows the waiting runs of each pool, and each pool without a worker', async () => {
  await bench.ask('act_1');
  await bench.pool.query(`update runs set queued_at = now() - interval '5 minutes'`);
  const alone = await signalbox('queues', '--json');
  expect(alone.code).toBe(1);
  expect(alone.json).toMatchObject({
    pools: [
      { pool: 'maintenance', waiting: 1, running: 0, queue: { waiting: 1, active: 0, failed: 0, consumers: 0 } },
      { pool: 'agents', waiting: 0, queue: { waiting: 0 } },
      { pool: 'deploy', waiting: 0 },
      { pool: 'analysis', waiting: 0 },
    ],
    problems: expect.arrayContaining([
      'maintenance: no process takes its jobs.',
      'maintenance: something has been waiting for 5 min; see `runs --status queued`.',
    ]) as string[],
  });
  bench.startRunner(async () => INDEXED);
  await until(async () => (await bench.runs.find('act_1'))?.status === 'done');
  const { json, out } = { ...(await signalbox('queues', '--json')), out: (await signalbox('queues')).out };
  expect(json).toMatchObject({
    pools: [{ pool: 'maintenance', waiting: 0, done: 1, queue: { waiting: 0, consumers: 1 } }, {}, {}, {}],
  });
  expect(out).toMatch(/maintenance +1 +0 +0/);
});
