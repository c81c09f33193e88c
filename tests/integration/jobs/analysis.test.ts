import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { getQueuePrefix, toJobId } from '@signalbox/platform/queue/names';
import { openRedis, closeRedis } from '@signalbox/platform/redis';
import { createLog } from '@signalbox/platform/log';
import { Queue as Bull } from 'bullmq';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { until } from './bench.ts';
import { openRepositoryBench, type RepositoryBench } from './repository-bench.ts';

// What reads texts of strangers runs in a process that opens no secret; what opens the login of a repository reads none of it.

let bench: RepositoryBench;
const log = createLog('test', 'silent');

beforeAll(async () => {
  bench = await openRepositoryBench({ isServed: false });
  bench.commit({ 'README.md': '# Shop\n' });
});
afterAll(() => bench.close());

const stateOf = async (runId: string): Promise<unknown> => {
  const { rows } = await bench.jobs.pool.query<{ status: string; fetched: unknown }>(
    `select status, payload -> 'fetched' ->> 'commit' as fetched from runs where run_id = $1`,
    [runId],
  );
  return rows[0];
};

describe('a scan', () => {
  it('has its repository fetched by the pool that opens secrets, and its files scanned by the scan pool', async () => {
    const deploy = await bench.jobs.startService({ ...bench.settings, JOBS_POOLS: 'deploy' });
    await bench.ask('act_fetched', 'security_scan');
    await until(async () => (await stateOf('act_fetched')) as { fetched: unknown } | null);
    const fetched = await until(async () => {
      const state = (await stateOf('act_fetched')) as { status: string; fetched: string | null };
      return state.fetched === null ? null : state;
    });
    expect(fetched).toEqual({ status: 'queued', fetched: bench.git('rev-parse', 'HEAD') });
    await deploy.close();
    const analysis = await bench.jobs.startService({ ...bench.settings, JOBS_POOLS: 'analysis' });
    expect(await bench.result('act_fetched')).toMatchObject({ status: 'completed' });
    await analysis.close();
  });

  it('that an earlier release queued in the deployment pool is still run', async () => {
    const payload = { project: 'shop', chain: 'security_scan' as const, ref: 'HEAD', isDry: false };
    const run = { runId: 'act_old', payload, person: null, threadId: null, traceId: 'trc_test' };
    // The row alone: the name in the queue is that of before.
    const nothing = { enqueue: () => Promise.resolve() };
    await enqueueRun({ runs: bench.jobs.runs, queue: nothing, log }, { ...run, job: 'repository.chain' });
    const connection = openRedis(inject('redisUrl'), log);
    const queue = new Bull('deploy', { connection, prefix: getQueuePrefix(bench.jobs.prefix) });
    await queue.add('repository.chain', { traceId: 'trc_test' }, { jobId: toJobId('act_old') });
    await queue.close();
    await closeRedis(connection);
    const services = [];
    for (const JOBS_POOLS of ['deploy', 'analysis'])
      services.push(await bench.jobs.startService({ ...bench.settings, JOBS_POOLS }));
    expect(await bench.result('act_old')).toMatchObject({ status: 'completed' });
    for (const service of services) await service.close();
  });

  it('whose queue entry was lost is queued again by the pool that has to run it', async () => {
    const payload = { project: 'shop', chain: 'security_scan' as const, ref: 'HEAD', isDry: false };
    const run = { runId: 'act_lost', payload, person: null, threadId: null, traceId: 'trc_test' };
    const nothing = { enqueue: () => Promise.resolve() };
    await enqueueRun({ runs: bench.jobs.runs, queue: nothing, log }, { ...run, job: 'repository.chain' });
    for (const JOBS_POOLS of ['analysis', 'deploy']) await bench.jobs.startService({ ...bench.settings, JOBS_POOLS });
    expect(await bench.result('act_lost')).toMatchObject({ status: 'completed' });
  });
});
