import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import { startOwnRedis } from '../../support/redis.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openJobsBench, until, type JobsBench } from './bench.ts';

const MAIN = fileURLToPath(new URL('../../../services/jobs/src/main.ts', import.meta.url));

let bench: JobsBench;
let folder: string;
let docs: string;
let readme: string;
const processes: ChildProcess[] = [];
const NOBODY = { userKey: '1001', chatKey: null, mayRead: () => false };

beforeEach(async () => {
  bench = await openJobsBench();
  folder = makeTemporaryFolder('jobs');
  docs = join(folder, 'docs');
  readme = join(folder, 'README.md');
  mkdirSync(join(docs, 'guides'), { recursive: true });
  writeFileSync(join(docs, 'policy.md'), '# Policy\n\nRules.\n\n## Four eyes\n\nThe requester never approves.\n');
  writeFileSync(join(docs, 'guides', 'ports.md'), '# Ports\n\nAn allocation reserves memory.\n');
  writeFileSync(readme, '# Signalbox\n\nStart it with one command.\n');
});
afterEach(async () => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
  await bench.close();
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({ DOCS_DIR: docs, README_FILE: readme, ...more });

const endOf = (runId: string) =>
  until(async () => {
    const run = await bench.runs.find(runId);
    return run?.status === 'done' || run?.status === 'failed' ? run : null;
  });

/** The executions of a schedule that were worth a row, oldest first. */
const scheduled = async (job: string) => {
  const { rows } = await bench.pool.query<{ result: unknown }>(
    `select result from runs where job = $1 and user_key is null order by finished_at`,
    [job],
  );
  return rows.map((row) => row.result);
};

/** The service as it really runs: a process of its own. */
function startProcess(more: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', MAIN], {
    env: bench.environment(settings(more)),
    stdio: 'ignore',
  });
  processes.push(child);
  return child;
}

describe('the job service', () => {
  it('indexes the documentation at its start, and again after a file changed, moved or was deleted', async () => {
    const knowledge = createKnowledgeSearch(bench.pool);
    await bench.startService(settings());
    await until(async () => (await scheduled('knowledge.index')).length === 1);
    expect(await scheduled('knowledge.index')).toEqual([{ files: 3, passages: 4, changed: 3 }]);
    const { hits } = await knowledge.search({ query: 'who approves?', scope: 'docs' }, NOBODY, 5);
    expect(hits).toMatchObject([{ scope: 'docs', source: 'docs/policy.md § Policy › Four eyes' }]);

    writeFileSync(join(docs, 'policy.md'), '# Policy\n\nNobody approves anything.\n');
    rmSync(join(docs, 'guides', 'ports.md'));
    await bench.ask('act_1');
    expect((await endOf('act_1')).result).toEqual({ files: 2, passages: 2, changed: 2 });
    expect((await bench.told())[0]?.say).toBe(
      'The documentation is indexed: 2 files, 2 passages. 2 files had changed.',
    );
    expect((await knowledge.search({ query: 'allocation', scope: 'docs' }, NOBODY, 5)).hits).toEqual([]);

    await bench.ask('act_2');
    expect((await endOf('act_2')).result).toMatchObject({ changed: 0 });
  });

  it('wakes the lane of the person who asked for a run when the run ends', async () => {
    await bench.startService(settings());
    await bench.ask('act_1');
    await endOf('act_1');
    const entries = await until(async () => {
      const found = await bench.redis.xrange(`${bench.prefix}{in:0}:messages`, '-', '+');
      return found.length > 0 ? found : null;
    });
    expect(entries.map(([, fields]) => JSON.parse(fields[1] ?? '') as unknown)).toEqual([
      { userKey: '1001', traceId: 'trc_test' },
    ]);
  });

  it('finishes a run that a killed process had started', async () => {
    const holder = await bench.pool.connect();
    try {
      // The job waits for this table for as long as the test wants.
      await holder.query('begin');
      await holder.query('lock table knowledge in access exclusive mode');
      await bench.ask('act_1');
      const child = startProcess({});
      await until(async () => (await bench.runs.find('act_1'))?.status === 'running');
      const gone = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      await bench.startService(settings());
      await holder.query('rollback');
    } finally {
      holder.release();
    }
    expect(await endOf('act_1')).toMatchObject({ status: 'done', attempts: 2, result: { files: 3 } });
    expect(await bench.told()).toHaveLength(1);
  });

  it.each([
    ['maintenance', { key: false, signing: true }],
    ['agents', { key: false, signing: false }],
    ['deploy', { key: true, signing: false }],
    ['analysis', { key: false, signing: false }],
  ])('creates only the keys that the pool %s needs', async (pool, expected) => {
    const key = join(folder, 'secrets.key');
    const audit = join(folder, 'signing-key.pem');
    const keys = { SECRETS_KEY: '', SECRETS_KEY_FILE: key, AUDIT_KEY_FILE: audit };
    await bench.startService(settings({ ...keys, JOBS_POOLS: pool, WORKSPACE_DIR: join(folder, 'workspaces') }));
    expect({ key: existsSync(key), signing: existsSync(audit) }).toEqual(expected);
  });

  it('exits with code 0 on SIGTERM', async () => {
    const child = startProcess({});
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
    await until(async () => (await scheduled('knowledge.index')).length === 1);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('answers its readiness probe, and counts its jobs in the metrics', async () => {
    const service = await bench.startService(settings());
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${service.probePort}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
    await bench.ask('act_1');
    await endOf('act_1');
    const figures = await until(async () => {
      const { text } = await get('/metrics');
      return /signalbox_jobs_total\{job="knowledge.index",outcome="done".*\} \d/.test(text) ? text : null;
    });
    expect(figures).toMatch(/signalbox_job_duration_seconds_count\{.*job="knowledge.index".*\} \d/);
  });

  it('refuses a Redis that may evict keys', async () => {
    const redis = await startOwnRedis(['maxmemory-policy allkeys-lru']);
    try {
      await expect(bench.startService(settings({ REDIS_URL: redis.url }))).rejects.toMatchObject({
        code: 'STARTUP_REFUSED',
      });
    } finally {
      await redis.stop();
    }
  });

  it('executes its scheduled jobs again after Redis lost them', async () => {
    const redis = await startOwnRedis();
    const forgetful = await openJobsBench(redis.url);
    try {
      // The execution of a period is noted for as long as none follows.
      const isExecuted = async (job: string) =>
        (await forgetful.redis.exists(`${forgetful.prefix}{jobs}:maintenance:de:${job}`)) === 1;
      await forgetful.startService(settings());
      await until(() => isExecuted('knowledge.index'));
      await until(() => isExecuted('approvals.watch'));
      await redis.restart({ empty: true });
      await until(() => isExecuted('approvals.watch'));
    } finally {
      await forgetful.close();
      await redis.stop();
    }
  });

  it('is not ready and can still be stopped while Redis is away', async () => {
    const redis = await startOwnRedis();
    const forgetful = await openJobsBench(redis.url);
    try {
      const service = await forgetful.startService(settings());
      await redis.kill();
      await until(async () => (await fetch(`http://127.0.0.1:${service.probePort}/readyz`)).status === 503);
      const startedAt = performance.now();
      await service.close();
      expect(performance.now() - startedAt).toBeLessThan(10_000); // a service has 12 s
    } finally {
      await redis.restart();
      await forgetful.close();
      await redis.stop();
    }
  });
});
