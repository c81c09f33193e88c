import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { createCodeIndexHandler } from '@signalbox/jobs/knowledge/code-index';
import { createCodeStore } from '@signalbox/jobs/knowledge/code-store';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { createLog } from '@signalbox/platform/log';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import type { Pool } from '@signalbox/store/pool';
import { loadTestConfig } from './config.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const { path } = loadTestConfig();

/** A repository in a temporary folder, with one commit of these files. */
export interface SourceRepository {
  readonly folder: string;
  readonly mirror: string;
  readonly commit: string;
}

/** Makes a repository of the sources of a package that this tree has installed. */
export function makePackageRepository(name: string, within = makeTemporaryFolder('sources')): SourceRepository {
  const folder = join(within, name);
  const from = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  mkdirSync(folder, { recursive: true });
  cpSync(from, folder, { recursive: true, filter: (file) => !file.slice(from.length).includes('node_modules') });
  return commitFolder(folder);
}

/** Commits what a folder holds. */
export function commitFolder(folder: string): SourceRepository {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words], {
      encoding: 'utf8',
      env: { PATH: path, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all', '--force');
  git('commit', '--quiet', '--allow-empty', '--message', 'all');
  return { folder, mirror: join(folder, '.git'), commit: git('rev-parse', 'HEAD') };
}

/** Registers a project of the admin 1001. */
export async function addProject(pool: Pool, name: string, repository: string | null = null): Promise<void> {
  const project = { name, description: '', repository, owner: '1001' };
  await createProjectStore(pool).create(project, `act_project_${name}`);
}

/** Runs the job that indexes code, as its pool does. `signal` kills it. */
export function indexCode(
  pool: Pool,
  payload: JobPayload<'knowledge.code'>,
  options: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void } = {},
): Promise<JobResult<'knowledge.code'>> {
  const context: JobContext = {
    runId: 'run_test',
    attempt: 1,
    owner: null,
    signal: options.signal ?? AbortSignal.timeout(120_000),
    log: createLog('test', 'silent'),
    now: () => new Date(),
    progress: async (done) => options.onProgress?.(done),
    tell: async () => undefined,
    openSecret: () => Promise.reject(new Error('no secret is opened')),
  };
  return createCodeIndexHandler({ store: createCodeStore(pool), path }).run(payload, context);
}

/** Makes the main branch of a project searchable. */
export async function indexMain(pool: Pool, project: string, { mirror, commit }: SourceRepository) {
  const commits = [{ commit, names: ['main'], isMain: true }];
  return indexCode(pool, { codeOf: project, mirror, folder: null, commits });
}
