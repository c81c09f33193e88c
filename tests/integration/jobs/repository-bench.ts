import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import { ChainResult } from '@signalbox/contracts/repository/chain-run';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openJobsBench, until, type JobsBench } from './bench.ts';

/** What is asked for besides a chain; the project is that of the bench unless another one is named. */
interface Asked {
  readonly isDry?: boolean;
  readonly ref?: string;
  readonly project?: string;
}

/** A project with a repository on this machine. */
export interface TestProject {
  readonly project: string;
  /** The working folder of the repository. */
  readonly folder: string;
  /** Writes these files, removes those that are null, and commits. Answers the commit. */
  commit(files: Readonly<Record<string, string | Buffer | null>>): string;
  git(...words: readonly string[]): string;
  /** Lets days go by before the next commit. */
  pass(days: number): void;
  ask(runId: string, chain: ChainName, more?: Asked): Promise<void>;
  /** Runs a chain and waits for what it came to. */
  run(runId: string, chain: ChainName, more?: Asked): Promise<ChainResult>;
  /** `open 3 high secrets/private-key src/key.pem`, the most severe first. */
  list(): Promise<readonly string[]>;
}

/** A job service that runs chains, and the project shop. */
export interface RepositoryBench extends TestProject {
  readonly jobs: JobsBench;
  readonly findings: ReturnType<typeof createFindingStore>;
  readonly settings: Readonly<Record<string, string>>;
  /** Another project, with a repository of its own. */
  openProject(name: string): Promise<TestProject>;
  result(runId: string): Promise<ChainResult>;
  close(): Promise<void>;
}

export async function openRepositoryBench(
  options: { readonly isServed?: boolean; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<RepositoryBench> {
  const jobs = await openJobsBench();
  const root = makeTemporaryFolder('repositories');
  const sandbox = await locateTestSandbox('a scan in a room');
  await jobs.pool.query(
    `insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'developer')`,
  );
  const findings = createFindingStore(jobs.pool);
  const result = async (runId: string): Promise<ChainResult> => {
    const ended = await until(async () => {
      const run = await jobs.runs.find(runId);
      return run && !['queued', 'running'].includes(run.status) ? run : null;
    });
    if (ended?.status !== 'done') throw new Error(`${runId} is ${ended?.status}: ${ended?.error}`);
    return ChainResult.parse(ended.result);
  };
  const openProject = (name: string): Promise<TestProject> => openTestProject(name, { jobs, root, findings, result });
  const shop = await openProject('shop');
  const settings = {
    DEPLOY_DIR: makeTemporaryFolder('deploys'),
    TARGETS_DIR: makeTemporaryFolder('targets'),
    REPOSITORIES_DIR: root,
    ...sandbox?.settings,
    ...options.settings,
  };
  // One fetches, and the other reads what was fetched.
  if (options.isServed !== false)
    for (const JOBS_POOLS of ['deploy', 'analysis']) await jobs.startService({ ...settings, JOBS_POOLS });
  return { ...shop, jobs, findings, settings, openProject, result, close: () => jobs.close() };
}

async function openTestProject(
  project: string,
  { jobs, root, findings, result }: Pick<RepositoryBench, 'jobs' | 'findings' | 'result'> & { readonly root: string },
): Promise<TestProject> {
  const folder = join(root, project);
  const { path } = loadTestConfig();
  mkdirSync(folder, { recursive: true });
  let clock = 1_780_000_000;
  const git = (...words: readonly string[]): string => {
    clock += 3_600;
    const when = { GIT_AUTHOR_DATE: `${clock} +0000`, GIT_COMMITTER_DATE: `${clock} +0000` };
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    return execFileSync('git', [...who, ...words], {
      cwd: folder,
      env: { PATH: path, HOME: root, ...when },
      encoding: 'utf8',
    }).trim();
  };
  git('init', '--quiet', '--initial-branch=main');
  await createProjectStore(jobs.pool).create(
    { name: project, description: '', repository: folder, owner: '1001' },
    `act_project_${project}`,
  );
  const opened: TestProject = {
    project,
    folder,
    git,
    pass: (days) => (clock += days * 86_400),
    commit: (files) => {
      for (const [name, text] of Object.entries(files)) {
        const file = join(folder, name);
        mkdirSync(dirname(file), { recursive: true });
        if (text === null) rmSync(file);
        else writeFileSync(file, text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', 'change');
      return git('rev-parse', 'HEAD');
    },
    ask: async (runId, chain, { isDry = false, ref = 'HEAD', project: named = project } = {}) => {
      const log = createLog('test', 'silent');
      const payload = { project: named, chain, ref, isDry };
      const person = { userKey: '1001', chatKey: 'telegram:1001' };
      const run = { runId, job: 'repository.chain' as const, payload, person, threadId: null, traceId: 'trc_test' };
      await enqueueRun({ runs: jobs.runs, queue: jobs.queue, log }, run);
    },
    run: async (runId, chain, more) => {
      await opened.ask(runId, chain, more);
      return result(runId);
    },
    list: async () =>
      (await findings.list({ project }, 1_000)).map(
        ({ status, severity, rule, path: place }) => `${status} ${severity} ${rule} ${place}`,
      ),
  };
  return opened;
}
