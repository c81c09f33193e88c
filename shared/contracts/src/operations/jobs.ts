import { z } from 'zod';
import { ENGINEERING_JOBS } from '../engineering/engineering-jobs.ts';
import { ChainFetchResult, ChainPayload, ChainResult } from '../repository/chain-run.ts';
import { CodeIndexPayload, CodeIndexResult, EmbedResult } from '../repository/code-index.ts';
import { CHAINS, STEP_ATTEMPTS } from '../repository/chains.ts';
import {
  RepositoryComparePayload,
  RepositoryCompareResult,
  RepositoryFilePayload,
  RepositoryFileResult,
  RepositorySearchPayload,
  RepositorySearchResult,
} from '../repository/reading.ts';
import {
  DeployPayload,
  DeployResult,
  ServerCommandPayload,
  ServerCommandResult,
  ServerInspectPayload,
  ServerInspectResult,
  ReadinessPayload,
  ReadinessResult,
  RepositorySummaryPayload,
  RepositorySummaryResult,
  ServiceDiagnosisPayload,
  ServiceDiagnosisResult,
  ServiceHealthPayload,
  ServiceHealthResult,
  ServiceLogsPayload,
  ServiceLogsResult,
  ServiceRequestPayload,
  ServiceRequestResult,
  ServiceRevivePayload,
  ServiceReviveResult,
  ServiceStopPayload,
  ServiceStopResult,
  ServicesWatchResult,
} from './operations.ts';
import { CONVERSATION_JOBS } from '../conversation/conversation-jobs.ts';
import {
  ApplyDiffPayload,
  ApplyDiffResult,
  AttachPayload,
  AttachResult,
  ConfinementResult,
  MAX_COMMAND_MS,
  ListPayload,
  ListResult,
  ReadPayload,
  ReadResult,
  RunCommandPayload,
  RunCommandResult,
  WritePayload,
  WriteResult,
} from './workspace.ts';

/**
 * Job pools. Each pool has one queue, and its processes hold only the secrets that its jobs need. maintenance: background work of
 * Signalbox itself. agents: commands and files in workspaces. deploy: deployments and diagnoses on servers. analysis: scans of foreign
 * repositories.
 */
export const JobPool = z.enum(['maintenance', 'agents', 'deploy', 'analysis']);
export type JobPool = z.infer<typeof JobPool>;

export interface JobSpec<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  L extends JobPool = JobPool,
> {
  readonly pool: L;
  readonly payload: P;
  readonly result: R;
  readonly attempts: number;
  readonly deadlineMs: number;
  /** Maximum milliseconds without progress, message or log line; then the run is ended. Default: only `deadlineMs` limits a run. */
  readonly stallMs?: number;
  /** Interval between scheduled runs in milliseconds; null for jobs that only tools start. */
  readonly everyMs: number | null;
  /** A job of another pool that comes first in the same run and has access that this job must not have. */
  readonly before?: {
    readonly job: string;
    /** Field of this job's payload that receives the result of the first job. */
    readonly as: string;
  };
}

const job = <P extends z.ZodType, R extends z.ZodType, L extends JobPool>(spec: JobSpec<P, R, L>): JobSpec<P, R, L> =>
  spec;

/** Every background job. Each job needs a handler; the compiler checks that it exists. */
export const JOBS = {
  'knowledge.index': job({
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ files: z.number().int(), passages: z.number().int(), changed: z.number().int() }),
    attempts: 3,
    deadlineMs: 2 * 60_000,
    everyMs: 10 * 60_000,
  }),
  'approvals.watch': job({
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({
      expired: z.number().int(),
      escalated: z.number().int(),
      reminded: z.number().int(),
      voided: z.number().int(),
    }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 5_000,
  }),
  ...CONVERSATION_JOBS,
  'workspaces.prune': job({
    pool: 'agents',
    payload: z.object({}),
    result: z.object({ removed: z.array(z.string()) }),
    attempts: 1,
    deadlineMs: 10 * 60_000,
    everyMs: 60 * 60_000,
  }),
  'workspace.confinement': job({
    pool: 'agents',
    payload: z.object({}),
    result: ConfinementResult,
    attempts: 2,
    deadlineMs: 15_000,
    everyMs: null,
  }),
  // Never retried, because nobody knows how far an interrupted command got.
  'workspace.run': job({
    pool: 'agents',
    payload: RunCommandPayload,
    result: RunCommandResult,
    attempts: 1,
    deadlineMs: MAX_COMMAND_MS + 60_000,
    everyMs: null,
  }),
  'workspace.read': job({
    pool: 'agents',
    payload: ReadPayload,
    result: ReadResult,
    attempts: 3,
    deadlineMs: 30_000,
    everyMs: null,
  }),
  'workspace.list': job({
    pool: 'agents',
    payload: ListPayload,
    result: ListResult,
    attempts: 3,
    deadlineMs: 30_000,
    everyMs: null,
  }),
  'workspace.write': job({
    pool: 'agents',
    payload: WritePayload,
    result: WriteResult,
    attempts: 3,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  'workspace.attach': job({
    pool: 'agents',
    payload: AttachPayload,
    result: AttachResult,
    attempts: 2,
    deadlineMs: 30_000,
    everyMs: null,
  }),
  'workspace.apply': job({
    pool: 'agents',
    payload: ApplyDiffPayload,
    result: ApplyDiffResult,
    attempts: 3,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // Each attempt resumes where the previous attempt stopped, so interruptions are harmless and may be frequent.
  'deploy.run': job({
    pool: 'deploy',
    payload: DeployPayload,
    result: DeployResult,
    attempts: 10,
    deadlineMs: 45 * 60_000,
    everyMs: null,
  }),
  'deploy.check': job({
    pool: 'deploy',
    payload: ReadinessPayload,
    result: ReadinessResult,
    attempts: 2,
    deadlineMs: 3 * 60_000,
    everyMs: null,
  }),
  'deploys.reconcile': job({
    pool: 'deploy',
    payload: z.object({}),
    result: z.object({ abandoned: z.number().int(), begun: z.number().int() }),
    attempts: 1,
    deadlineMs: 2 * 60_000,
    everyMs: 30_000,
  }),
  'service.logs': job({
    pool: 'deploy',
    payload: ServiceLogsPayload,
    result: ServiceLogsResult,
    attempts: 2,
    // Longer than a log can be followed.
    deadlineMs: 6 * 60_000,
    everyMs: null,
  }),
  'service.health': job({
    pool: 'deploy',
    payload: ServiceHealthPayload,
    result: ServiceHealthResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // Never retried, because a program may do something at each request.
  'service.request': job({
    pool: 'deploy',
    payload: ServiceRequestPayload,
    result: ServiceRequestResult,
    attempts: 1,
    deadlineMs: 20_000,
    everyMs: null,
  }),
  'service.diagnose': job({
    pool: 'deploy',
    payload: ServiceDiagnosisPayload,
    result: ServiceDiagnosisResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // Each attempt continues the stop that the first attempt began.
  'service.stop': job({
    pool: 'deploy',
    payload: ServiceStopPayload,
    result: ServiceStopResult,
    attempts: 5,
    deadlineMs: 12 * 60_000,
    everyMs: null,
  }),
  // Each attempt checks what the previous attempt started.
  'service.revive': job({
    pool: 'deploy',
    payload: ServiceRevivePayload,
    result: ServiceReviveResult,
    attempts: 10,
    deadlineMs: 45 * 60_000,
    everyMs: null,
  }),
  // Never retried, because nobody knows how far an interrupted command got.
  'diagnostic.run': job({
    pool: 'deploy',
    payload: ServerCommandPayload,
    result: ServerCommandResult,
    attempts: 1,
    deadlineMs: 2 * 60_000,
    everyMs: null,
  }),
  'repository.look': job({
    pool: 'deploy',
    payload: RepositorySummaryPayload,
    result: RepositorySummaryResult,
    attempts: 2,
    deadlineMs: 2 * 60_000,
    everyMs: null,
  }),
  'repository.file': job({
    pool: 'deploy',
    payload: RepositoryFilePayload,
    result: RepositoryFileResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  'repository.search': job({
    pool: 'deploy',
    payload: RepositorySearchPayload,
    result: RepositorySearchResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  'repository.compare': job({
    pool: 'deploy',
    payload: RepositoryComparePayload,
    result: RepositoryCompareResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // The first part of a `repository.chain` run, and the only part with access to the repository's login.
  'repository.fetch': job({
    pool: 'deploy',
    payload: ChainPayload,
    result: ChainFetchResult,
    attempts: 5,
    deadlineMs: 10 * 60_000,
    everyMs: null,
  }),
  // Each attempt continues at the step of the previous attempt. A step that keeps killing its process has its own limit: these
  // attempts suffice for all steps of the longest chain, plus its start and end.
  'repository.chain': job({
    pool: 'analysis',
    payload: ChainPayload,
    result: ChainResult,
    attempts: STEP_ATTEMPTS * (2 + Math.max(...Object.values(CHAINS).map((steps) => steps.length))),
    deadlineMs: 30 * 60_000,
    everyMs: null,
    before: { job: 'repository.fetch', as: 'fetched' },
  }),
  // Each attempt continues behind the texts that the previous attempt has stored.
  'knowledge.code': job({
    pool: 'analysis',
    payload: CodeIndexPayload,
    result: CodeIndexResult,
    attempts: 10,
    deadlineMs: 30 * 60_000,
    everyMs: null,
  }),
  'knowledge.watch': job({
    pool: 'deploy',
    payload: z.object({}),
    result: z.object({ begun: z.number().int() }),
    attempts: 1,
    deadlineMs: 60_000,
    everyMs: 20_000,
  }),
  'knowledge.embed': job({
    pool: 'analysis',
    payload: z.object({}),
    result: EmbedResult,
    attempts: 1,
    deadlineMs: 10 * 60_000,
    everyMs: 60_000,
  }),
  ...ENGINEERING_JOBS,
  'server.inspect': job({
    pool: 'deploy',
    payload: ServerInspectPayload,
    result: ServerInspectResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  'servers.watch': job({
    pool: 'deploy',
    payload: z.object({}),
    result: z.object({
      looked: z.number().int(),
      down: z.number().int(),
      opened: z.number().int(),
      closed: z.number().int(),
    }),
    attempts: 1,
    deadlineMs: 5 * 60_000,
    everyMs: 60_000,
  }),
  'services.watch': job({
    pool: 'deploy',
    payload: z.object({}),
    result: ServicesWatchResult,
    attempts: 1,
    deadlineMs: 60_000,
    everyMs: 15_000,
  }),
} as const;

export type JobName = keyof typeof JOBS;

export function getFirstJob(job: JobName): JobName {
  const { before }: JobSpec = JOBS[job];
  return before !== undefined && isJobName(before.job) ? before.job : job;
}

/** Returns the job that continues a run after this job, and its payload field for this job's result; null for most jobs. */
export function getNextJob(job: JobName): { readonly job: JobName; readonly as: string } | null {
  for (const [name, { before }] of Object.entries<JobSpec>(JOBS))
    if (before?.job === job && isJobName(name)) return { job: name, as: before.as };
  return null;
}

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

export type JobsOf<L extends JobPool> = { [N in JobName]: (typeof JOBS)[N]['pool'] extends L ? N : never }[JobName];
export type JobPayload<N extends JobName> = z.output<(typeof JOBS)[N]['payload']>;
export type JobResult<N extends JobName> = z.output<(typeof JOBS)[N]['result']>;
