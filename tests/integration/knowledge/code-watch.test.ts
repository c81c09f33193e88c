import { afterEach, beforeEach, expect, it } from 'vitest';
import { newId, newTraceId } from '@signalbox/contracts/ids';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import { until } from '../jobs/bench.ts';
import { openRepositoryBench, type RepositoryBench } from '../jobs/repository-bench.ts';

// The services of the pools `deploy` and `analysis` run as they are started in production, each with its own login.

let bench: RepositoryBench;
beforeEach(async () => {
  bench = await openRepositoryBench();
});
afterEach(() => bench.close());

const find = async (query: string): Promise<readonly string[]> => {
  const worker = openPool(bench.jobs.wiring.databaseUrl('worker'), createLog('test', 'silent'), {
    name: 'test',
    max: 2,
    as: 'worker',
  });
  try {
    const reader = { userKey: '1001', chatKey: null, mayRead: () => true };
    const { hits } = await createKnowledgeSearch(worker).search({ query, scope: 'code' }, reader, 5);
    return hits.map(({ source }) => source);
  } finally {
    await worker.end();
  }
};

/** Runs a job as a person asks for it. Services do a look when a project is registered, and watch every 20 seconds. */
const run = async (job: 'repository.look' | 'knowledge.watch', payload: object): Promise<void> => {
  const runId = newId('run');
  const whole = { runId, job, payload, person: null, threadId: null, traceId: newTraceId() };
  await bench.jobs.runs.create(whole);
  await bench.jobs.queue.enqueue(job, whole);
  await until(async () => (await bench.jobs.runs.find(runId))?.status === 'done');
};
const look = () => run('repository.look', { project: 'shop' });

const indexed = async (word: string, places: readonly string[]): Promise<void> => {
  await until(async () => {
    await run('knowledge.watch', {});
    return JSON.stringify(await find(word)) === JSON.stringify(places);
  });
};

it(
  'code can be searched after its mirror was fetched, and what was deleted cannot after the next fetch',
  { timeout: 90_000 },
  async () => {
    bench.commit({ 'src/tea.js': 'export function brewTea() {\n  return 1;\n}\n' });
    await look();
    await indexed('brewTea', ['shop@main:src/tea.js:1']);
    bench.commit({ 'src/tea.js': null, 'src/coffee.js': 'export function brewCoffee() {\n  return 1;\n}\n' });
    await look();
    await indexed('brewCoffee', ['shop@main:src/coffee.js:1']);
    expect(await find('brewTea')).not.toContain('shop@main:src/tea.js:1');
    const runs = await bench.jobs.pool.query(
      `select status, user_key from runs where job = 'knowledge.code' order by created_at`,
    );
    expect(runs.rows).toEqual([
      { status: 'done', user_key: null },
      { status: 'done', user_key: null },
    ]);
    // A project without a repository has no searched code.
    await bench.jobs.pool.query(`update projects set status = 'archived' where name = 'shop'`);
    await indexed('brewCoffee', []);
  },
);
