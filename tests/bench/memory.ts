/*
 * What reading costs in memory when a user's data is large: the end of the log of a program that has written 200 MB, and the history of
 * a service that was deployed 5,000 times. Both are bounded by what is asked for: logs are kept to 20 MB and read in pieces, tables by
 * the page. Prints the growth of this process, which does what the job service and the worker do.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIB } from '@signalbox/contracts/size';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { readLines } from '@signalbox/jobs/logs/read-lines';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { createLog } from '@signalbox/platform/log';
import { redactText } from '@signalbox/safety/redact/redact';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { APP, appFile, newRelease } from '../contracts/driver-releases.ts';
import { openTestConfinement } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { freePort } from '../support/free-port.ts';

const LOG_MB = 200;
const DEPLOYMENTS = 5_000;
const LINES_EACH = 40;
const SERVICE = { project: 'shop', environment: 'production' } as const;

const dir = mkdtempSync(join(tmpdir(), 'signalbox-memory-'));
const rows: Record<string, unknown>[] = [];
try {
  await measureLog();
  await measureDeployments();
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.table(rows);
process.exit(0);

/** A program under the process driver writes; then its end is read as `show me the logs` does. */
async function measureLog(): Promise<void> {
  const { confinement } = await openTestConfinement();
  const server = { name: 'local', host: '127.0.0.1', driver: 'process', connection: {}, hostKey: null } as const;
  const parts = { targetsDir: dir, path: loadTestConfig().path, baseImage: '', restarts: 0, confinement };
  const driver = await openDriver(server, { ...parts, openSecret: () => Promise.resolve('') });
  const id = newRelease();
  const write = `let n = 0; const line = 'x'.repeat(990); const go = () => { while (n++ < ${LOG_MB * 1_024}) if (!process.stdout.write(n + line + '\\n')) return process.stdout.once('drain', go); }; go(); setInterval(() => {}, 1000)`;
  const file = { ...appFile(), start: ['node', '-e', write] };
  const signal = AbortSignal.timeout(300_000);
  const artifact = await driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal });
  const instance = await driver.start({ id, artifact, file, variables: {}, port: await freePort() }, signal);
  const last = `${LOG_MB * 1_024}x`;
  const read = () => readLines(driver, instance, { tail: 200, signal }, redactText);
  while (!(await read()).at(-1)?.line.startsWith(last)) await sleep(500);
  await measure(`the newest 200 lines of a log of ${LOG_MB} MB`, read);
  Object.assign(rows.at(-1) ?? {}, { 'on disk': `${Math.round(sizeOf(dir) / MIB)} MB` });
  await driver.stop(instance, 0, signal);
}

async function measureDeployments(): Promise<void> {
  const postgres = await startPostgres({ dir: join(dir, 'postgres') });
  await migrate(postgres.url);
  const pool = openPool(postgres.url, createLog('bench', 'silent'), { name: 'bench', max: 2, as: 'owner' });
  await seed();
  const deployments = createDeploymentStore(pool);
  await measure(`the newest 20 of ${DEPLOYMENTS} deployments`, () => deployments.list(SERVICE, 20));
  await measure('what a rollback would bring back', () => deployments.before(SERVICE));
  await measure('the newest 200 lines of one', () => deployments.lines(`d${DEPLOYMENTS}`, 200));
  await pool.end();
  await postgres.stop();

  async function seed(): Promise<void> {
    await pool.query(
      `insert into projects (name, description, owner, action_id) values ('shop', 'Tea', '1', 'act_bench');`,
    );
    await pool.query(
      `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, driver, action_id)
       values ('local', '127.0.0.1', 'production', 2, 4096, 20000, 20099, 'process', 'act_bench')`,
    );
    await pool.query(
      `insert into services (project, environment, server, serving) values ('shop', 'production', 'local', 'd${DEPLOYMENTS}')`,
    );
    await pool.query(
      `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, commit, release, state, user_key, requested_at, finished_at)
       select 'd' || n, 'shop', 'production', 'local', 'process', 'deploy', 'v' || n, md5(n::text), 'v' || n, 'succeeded', '1',
              now() - (6000 - n) * interval '1 minute', now() - (6000 - n) * interval '1 minute' from generate_series(1, $1::int) n`,
      [DEPLOYMENTS],
    );
    await pool.query(
      `insert into deployment_lines (deployment_id, n, state, line)
       select 'd' || n, k, 'building', repeat('compiled a module ', 5) from generate_series(1, $1::int) n, generate_series(1, $2::int) k`,
      [DEPLOYMENTS, LINES_EACH],
    );
    await pool.query('analyze');
  }
}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  await work(); // what is loaded once is no part of it
  const [before, at] = [process.memoryUsage().rss, performance.now()];
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 5);
  for (let n = 0; n < 5; n++) await work();
  const ms = (performance.now() - at) / 5;
  clearInterval(timer);
  highest = Math.max(highest, process.memoryUsage().rss);
  rows.push({ what, 'MB more': Math.round((highest - before) / MIB), ms: Math.round(ms) });
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
