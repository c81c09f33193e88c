import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { JobName, JobPayload, JobResult, JobsOf } from '@signalbox/contracts/operations/jobs';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openJobsBench, until, type JobsBench } from './bench.ts';

type Job = JobsOf<'agents'>;
type Rest<N extends Job> = Omit<JobPayload<N>, 'workspace' | 'bounds' | 'actor' | 'threadId' | 'actionId'>;

/** A job service of the pool `agents` over workspaces of its own. */
export interface WorkspaceBench {
  readonly jobs: JobsBench;
  /** Folder of all workspaces. */
  readonly home: string;
  /** Folder of the workspace that everything below is about. It is there after the first job. */
  readonly root: string;
  /** Has a job done and gives its answer. */
  ask<N extends Job>(
    job: N,
    payload: Rest<N>,
    options?: { readonly bounds?: JobPayload<'workspace.run'>['bounds']; readonly actionId?: string },
  ): Promise<JobResult<N>>;
  /** The code of a refusal with its sentence's data, or the whole answer when it was none. */
  refusal(answer: unknown): unknown;
  /** Every file of the workspace with its text, without the repository's own. */
  tree(): Readonly<Record<string, string>>;
  settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Opens it; the service is started unless `service` says otherwise. */
export async function openWorkspaceBench(
  settings: Readonly<Record<string, string>>,
  options: { readonly service: boolean } = { service: true },
): Promise<WorkspaceBench> {
  const jobs = await openJobsBench();
  const home = join(makeTemporaryFolder('workspaces'), 'home');
  const root = join(home, 'files', 'thread-t1');
  const all = { ...settings, WORKSPACE_DIR: home, JOBS_POOLS: 'agents' };
  if (options.service) await jobs.startService(all);
  return {
    jobs,
    home,
    root,
    settings: all,
    ask: async (job, payload, { bounds = 'PERSON', actionId = `act_${randomBytes(4).toString('hex')}` } = {}) => {
      const call = { workspace: 'thread-t1', bounds, actor: '1001', threadId: 't1', actionId };
      const whole = { ...call, ...payload } as unknown as JobPayload<typeof job>; // Rest is the payload without the call
      const log = createLog('test', 'silent');
      const person = { person: null, threadId: 't1', traceId: 'trc_test' };
      await enqueueRun(
        { runs: jobs.runs, queue: jobs.queue, log },
        { runId: actionId, job, payload: whole, ...person },
      );
      const run = await until(async () => {
        const found = await jobs.runs.find(actionId);
        return found?.status === 'done' || found?.status === 'failed' ? found : null;
      });
      if (run.status === 'failed') throw new Error(`${job as JobName} failed: ${run.error}`);
      return run.result as JobResult<typeof job>; // the runner has parsed it with the schema of the job
    },
    refusal: (answer) => {
      const given = answer as { outcome: string; refusal?: { code: string } };
      return given.outcome === 'refused' ? given.refusal?.code : given;
    },
    tree: () => readTree(root, ''),
    close: () => jobs.close(),
  };
}

/** Every ordinary file below a folder, by path. */
export function readTree(root: string, below: string): Record<string, string> {
  const files: Record<string, string> = {};
  if (!existsSync(join(root, below))) return files;
  for (const name of readdirSync(join(root, below))) {
    if (below === '' && name === '.git') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) Object.assign(files, readTree(root, path));
    else if (stats.isFile()) files[path] = readFileSync(join(root, path), 'utf8');
  }
  return files;
}
