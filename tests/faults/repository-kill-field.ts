import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { CHAINS } from '@signalbox/contracts/repository/chains';
import { findProcessTree, type ProcessRow } from '@signalbox/jobs/drivers/process/process-table';
import { tryOr } from '@signalbox/contracts/system-error';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { openRepositoryBench, type RepositoryBench } from '../integration/jobs/repository-bench.ts';
import { loadTestConfig } from '../support/config.ts';
import { startService } from '../support/service-process.ts';
import { openStatementRelay, type WireStatement } from '../support/statement-relay.ts';

export const STEPS = CHAINS.full_analysis.length;

/** A statement of one run, as whoever stops it sees it. */
export interface RunStatement {
  readonly text: string;
  readonly side: 'before' | 'after';
  /** The step that it begins or ends; of a commit, that of its transaction. Null: it is about none. */
  readonly step: number | null;
  /** What its transaction is for: the first words of the last statement before the commit that named the run. */
  readonly within: string;
}

/** A run that is killed. */
export interface Victim {
  readonly project: string;
  readonly runId: string;
  /** Where it stands still from now on; null: nowhere. */
  stopsAt: ((statement: RunStatement) => boolean) | null;
  /** The process in which it stands still; null: none. */
  heldBy: string | null;
}

/** A job service in a process of its own, which reaches Postgres through a wire. */
export interface KillableJobs {
  readonly name: string;
  /** Lets it serve: it is loaded and stands still until then. */
  resume(): void;
  /** Nothing of it passes from now on, and then it is killed. */
  kill(): Promise<void>;
  /** What still runs of it: itself, scans, and the git of those, each with the words that it was started with. */
  family(): readonly (ProcessRow & { readonly words: string })[];
}

/** Projects that are scanned by processes which are killed. */
export interface RepositoryKillField {
  readonly bench: RepositoryBench;
  /** A project with the same repository, and what an earlier run left behind for `bench.project`. */
  victim(project: string): Promise<Victim>;
  /** Starts a job service; `isPaused`: it takes nothing until it is told to go on. */
  start(options?: {
    readonly isPaused?: boolean;
    /** A folder whose programs are found before those of the machine. */
    readonly programs?: string;
    readonly settings?: Readonly<Record<string, string>>;
  }): Promise<KillableJobs>;
  /** Nobody begins a step of this run until it is let go, or for 14 seconds. */
  pause(victim: Victim): Promise<unknown>;
  letGo(victim: Victim): Promise<unknown>;
  /** In which hands their runs are: whoever takes one over counts its epoch up. */
  holders(victims: readonly Victim[]): Promise<readonly { readonly epoch: number; readonly status: string }[]>;
  /** Whether a scan of this project's repository is alive. */
  isScanned(project: string): boolean;
  close(): Promise<void>;
}

export async function openRepositoryKillField(): Promise<RepositoryKillField> {
  const bench = await openRepositoryBench({ isServed: false });
  // The one that fetches lives on; the one that reads what was fetched is killed.
  await bench.jobs.startService({ ...bench.settings, JOBS_POOLS: 'deploy' });
  const { pool } = bench.jobs;
  const victims = new Map<string, Victim>();
  const closing: (() => Promise<unknown>)[] = [];
  let started = 0;
  await pool.query(`
    create table paused_runs (run_id text);
    grant select on paused_runs to public;
    create function wait_in_step() returns trigger language plpgsql as $$
    begin
      -- Whoever stands before a commit waits for the others, longer than a transaction may be idle otherwise.
      perform set_config('idle_in_transaction_session_timeout', '0', true);
      for waited in 1 .. 140 loop
        exit when not exists (select from paused_runs p where p.run_id = new.run_id);
        perform pg_sleep(0.1);
      end loop;
      return new;
    end $$;
    create trigger wait_in_step before insert or update on repository_agent_runs for each row execute function wait_in_step();
    create trigger wait_in_step before update on runs for each row when (new.status <> 'running') execute function wait_in_step();`);

  const start: RepositoryKillField['start'] = async ({ isPaused = false, programs = '', settings = {} } = {}) => {
    const name = `chain-worker-${(started += 1)}`;
    const database = new URL(bench.jobs.wiring.databaseUrl('analysis'));
    let isDead = false;
    const owners = new Map<number, { victim: Victim; step: number | null; within: string }>();
    const relay = await openStatementRelay(Number(database.port), (statement, side) => {
      if (isDead) return 'hold';
      const seen = look(statement, side, owners, victims);
      if (seen?.victim.stopsAt?.(seen.statement)) seen.victim.heldBy = name;
      return seen?.victim.heldBy === name ? 'hold' : 'pass';
    });
    closing.push(() => relay.close());
    database.port = String(relay.port);
    // The mark by which all that it starts is found: scans get this and nothing else of its environment.
    const path = [...(programs === '' ? [] : [programs]), loadTestConfig().path, `/nowhere/${name}`].join(delimiter);
    const service = await startService(
      'jobs',
      name,
      bench.jobs.environment({
        ...bench.settings,
        JOBS_POOLS: 'analysis',
        DATABASE_URL: database.href,
        PATH: path,
        JOBS_CONCURRENCY: '8',
        // Everybody who stands still keeps one.
        DATABASE_CONNECTIONS: '24',
        LOG_LEVEL: 'info',
        ...settings,
      }),
    );
    if (isPaused) service.signal('SIGSTOP');
    const jobs: KillableJobs = {
      name,
      resume: () => service.signal('SIGCONT'),
      kill: async () => {
        isDead = true;
        await service.kill();
        relay.cut();
      },
      family: () =>
        findProcessTree({ mark: `PATH=${path}`, sessions: [] }).map((row) => ({ ...row, words: wordsOf(row.pid) })),
    };
    closing.unshift(() => service.kill());
    return jobs;
  };

  return {
    bench,
    start,
    victim: async (project) => {
      const folder = join(dirname(bench.folder), project);
      execFileSync('cp', ['-r', bench.folder, folder]);
      const rename = ['branch', '-m', branchOf(bench.project), branchOf(project)];
      execFileSync('git', rename, { cwd: folder, env: { PATH: loadTestConfig().path } });
      const about = { name: project, description: '', repository: folder, owner: '1001' };
      await createProjectStore(pool).create(about, `act_project_${project}`);
      await copyState(bench, project);
      const victim: Victim = { project, runId: `${project}_killed`, stopsAt: null, heldBy: null };
      victims.set(victim.runId, victim);
      return victim;
    },
    pause: ({ runId }) => pool.query('insert into paused_runs values ($1)', [runId]),
    letGo: ({ runId }) => pool.query('delete from paused_runs where run_id = $1', [runId]),
    holders: async (victims) => {
      const ids = victims.map(({ runId }) => runId);
      const query =
        'select epoch, status from runs where run_id = any ($1) order by array_position($1::text[], run_id)';
      return (await pool.query<{ epoch: number; status: string }>(query, [ids])).rows;
    },
    isScanned: (project) => {
      const mirrors = join(bench.settings['DEPLOY_DIR'] ?? '', 'mirrors');
      const mirror = readdirSync(mirrors).find((name) =>
        existsSync(join(mirrors, name, 'refs/heads', branchOf(project))),
      );
      return mirror !== undefined && hasScan(mirror);
    },
    close: async () => {
      for (const close of closing) await close();
      await bench.close();
    },
  };
}

/** Whose statement it is, and what it is about. `begin` is nobody's; a commit is of whoever its transaction named. */
function look(
  { text, values, connection }: WireStatement,
  side: 'before' | 'after',
  owners: Map<number, { victim: Victim; step: number | null; within: string }>,
  victims: ReadonlyMap<string, Victim>,
): { readonly victim: Victim; readonly statement: RunStatement } | null {
  const word = text.trim().toLowerCase();
  if (word === 'begin') owners.delete(connection);
  if (word === 'commit' || word === 'rollback') {
    const owner = owners.get(connection);
    return owner
      ? { victim: owner.victim, statement: { text: word, side, step: owner.step, within: owner.within } }
      : null;
  }
  // A beat names all runs of a process at once.
  const named = [...victims.values()].filter(
    ({ runId, project }) => values.includes(runId) || values.includes(project),
  );
  const [victim] = named;
  if (!victim || named.length > 1) return null;
  const step = /repository_agent_runs/.test(text) ? stepOf(text, values, victim.runId) : null;
  const before = owners.get(connection);
  if (side === 'before')
    owners.set(connection, { victim, step: step ?? before?.step ?? null, within: before?.within ?? text.trim() });
  return { victim, statement: { text: text.trim(), side, step, within: '' } };
}

/** Both statements about a step say it right behind the run. */
function stepOf(text: string, values: readonly string[], runId: string): number | null {
  const step = Number(values[values.indexOf(runId) + 1]);
  return /^\s*(?:insert|update)/.test(text) && Number.isInteger(step) ? step : null;
}

/** By this branch a mirror is told from those of the others. */
export const branchOf = (project: string): string => `of-${project}`;

/** In a cell the mirror stands among the words of bubblewrap, without one among those of the git that reads contents. */
function hasScan(mirror: string): boolean {
  return readdirSync('/proc').some((pid) => {
    const words = /^\d+$/.test(pid) ? wordsOf(pid) : '';
    return words.includes(mirror) && /scan\/program|cat-file\0--batch\0/.test(words);
  });
}

function wordsOf(pid: number | string): string {
  return tryOr(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1'), '');
}

/** What an earlier run of the bench's project has left: findings, caches, and that it was. */
async function copyState({ jobs: { pool }, project: from }: RepositoryBench, project: string): Promise<void> {
  const copies = [
    { table: 'repository_findings', own: ['project', 'finding_id'], order: 'finding_id' },
    { table: 'repository_scan_caches', own: ['project'], order: 'analyzer' },
    { table: 'repository_runs', own: ['project', 'run_id'], order: 'run_id' },
  ];
  for (const { table, own, order } of copies) {
    const { rows } = await pool.query<{ columns: string }>(
      `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
        where table_name = $1 and column_name <> all ($2)`,
      [table, own],
    );
    const columns = rows[0]?.columns ?? '';
    const [key, value] = own.includes('run_id') ? [', run_id', `, '${project}_before'`] : ['', ''];
    await pool.query(
      `insert into ${table} (project${key}, ${columns}) select $1${value}, ${columns} from ${table} where project = $2 order by ${order}`,
      [project, from],
    );
  }
}

/** All that a run leaves behind and that has to be the same whoever was killed, with names that do not tell one project from another. */
export async function outcomeOf({ jobs }: RepositoryBench, project: string, runId: string) {
  const list = async <T extends object>(query: string, value: string): Promise<readonly T[]> =>
    (await jobs.pool.query<T>(query, [value])).rows;
  const found = await list<{ id: string; fingerprint: string }>(
    `select finding_id::text as id, status, rule, severity, path, line, evidence, fingerprint, times_reopened, first_commit
       from repository_findings where project = $1 order by fingerprint`,
    project,
  );
  const ids = new Map(found.map(({ id, fingerprint }) => [id, fingerprint]));
  const artifacts = await list<{ path: string; bytes: Buffer; sha256: string }>(
    'select path, bytes, sha256 from repository_artifacts where run_id = $1 order by path',
    runId,
  );
  const caches = await list<{ analyzer: string; content: Buffer }>(
    'select analyzer, content from repository_scan_caches where project = $1 order by analyzer',
    project,
  );
  return {
    run: await list('select status, commit_id, problem, counts from repository_runs where run_id = $1', runId),
    steps: await list(
      `select step, agent, status, problem from repository_agent_runs where run_id = $1 order by step`,
      runId,
    ),
    audits: await list<{ scanned: { inspected: number } | null }>(
      `select data -> 'step' as step, data ->> 'agent' as agent, data ->> 'status' as status, data -> 'found' as found, data -> 'scanned' as scanned
         from audit_events where kind = 'repository.scanned' and data ->> 'run' = $1 order by (data -> 'step')::int`,
      runId,
    ),
    findings: found.map((one) => ({ ...one, id: null })),
    artifacts: artifacts.map(({ path, bytes, sha256 }) => ({
      path,
      isWhole: sha256 === sha256Of(bytes),
      sha256: sha256Of(
        bytes
          .toString('utf8')
          .replaceAll(project, 'project')
          .replaceAll(/(?<=#|finding )\d+/g, (id) => ids.get(id) ?? id),
      ),
    })),
    caches: caches.map(({ analyzer, content }) => [analyzer, sha256Of(inflateSync(content))]),
    told: (await jobs.told()).filter((one) => one.runId === runId).length,
  };
}

function sha256Of(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
