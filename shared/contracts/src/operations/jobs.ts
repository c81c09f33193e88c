import { z } from 'zod';
import { ChainFetch, ChainPayload, ChainResult } from '../repository/chain-run.ts';
import { CHAINS, STEP_ATTEMPTS } from '../repository/chains.ts';
import {
  DeployPayload,
  DeployResult,
  DiagnosticPayload,
  DiagnosticResult,
  InspectPayload,
  InspectResult,
  ReadinessPayload,
  ReadinessResult,
  RepositoryLookPayload,
  RepositoryLookResult,
  ServiceDiagnosisPayload,
  ServiceDiagnosisResult,
  ServiceHealthPayload,
  ServiceHealthResult,
  ServiceLogsPayload,
  ServiceLogsResult,
  ServiceRevivePayload,
  ServiceReviveResult,
  ServiceStopPayload,
  ServiceStopResult,
  ServicesWatchResult,
} from './operations.ts';
import {
  ApplyPayload,
  ApplyResult,
  COMMAND_LIMIT_MS,
  ListPayload,
  ListResult,
  ReadPayload,
  ReadResult,
  RunPayload,
  RunResult,
  WritePayload,
  WriteResult,
} from './workspace.ts';

/**
 * Processes that run jobs; each pool is one queue, and its processes hold only the secrets that its jobs need.
 * maintenance: the product's own work. agents: commands and files that an agent or a person asked for, in workspaces.
 * deploy: what reaches servers and repositories, to deploy and to diagnose. analysis: what reads texts of strangers for long.
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
  /** A run whose handler gives no sign for so long (progress, a message, a line of its log) is ended. Left out: only by deadline. */
  readonly stallMs?: number;
  /** Runs by itself this often; null for jobs that only tools start. */
  readonly everyMs: number | null;
  /** A job that is done first, in its own pool and in the same run, for what it needs and this one must not have. */
  readonly before?: {
    readonly job: string;
    /** The field of the payload that gets its result. */
    readonly as: string;
  };
}

const job = <P extends z.ZodType, R extends z.ZodType, L extends JobPool>(spec: JobSpec<P, R, L>): JobSpec<P, R, L> =>
  spec;

/** Every background job. Adding a line here makes the compiler ask for its handler. */
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
  'threads.expire': job({
    pool: 'maintenance',
    payload: z.object({}),
    result: z.object({ expired: z.number().int() }),
    attempts: 1,
    deadlineMs: 30_000,
    everyMs: 30_000,
  }),
  'workspaces.prune': job({
    pool: 'agents',
    payload: z.object({}),
    result: z.object({ removed: z.array(z.string()) }),
    attempts: 1,
    deadlineMs: 10 * 60_000,
    everyMs: 60 * 60_000,
  }),
  // A command is not run twice: how far an interrupted one came is not known.
  'workspace.run': job({
    pool: 'agents',
    payload: RunPayload,
    result: RunResult,
    attempts: 1,
    deadlineMs: COMMAND_LIMIT_MS + 60_000,
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
  'workspace.apply': job({
    pool: 'agents',
    payload: ApplyPayload,
    result: ApplyResult,
    attempts: 3,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // Each attempt finds out where the one before came, so interruptions do no harm: there may be many of them.
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
    // Longer than a log may be followed.
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
  'service.diagnose': job({
    pool: 'deploy',
    payload: ServiceDiagnosisPayload,
    result: ServiceDiagnosisResult,
    attempts: 2,
    deadlineMs: 60_000,
    everyMs: null,
  }),
  // Each attempt goes on with what the first has begun to stop.
  'service.stop': job({
    pool: 'deploy',
    payload: ServiceStopPayload,
    result: ServiceStopResult,
    attempts: 5,
    deadlineMs: 12 * 60_000,
    everyMs: null,
  }),
  // Each attempt finds out what the one before has started.
  'service.revive': job({
    pool: 'deploy',
    payload: ServiceRevivePayload,
    result: ServiceReviveResult,
    attempts: 10,
    deadlineMs: 45 * 60_000,
    everyMs: null,
  }),
  // A command is not run twice: how far an interrupted one came is not known.
  'diagnostic.run': job({
    pool: 'deploy',
    payload: DiagnosticPayload,
    result: DiagnosticResult,
    attempts: 1,
    deadlineMs: 2 * 60_000,
    everyMs: null,
  }),
  'repository.look': job({
    pool: 'deploy',
    payload: RepositoryLookPayload,
    result: RepositoryLookResult,
    attempts: 2,
    deadlineMs: 2 * 60_000,
    everyMs: null,
  }),
  // The first part of `repository.chain`, for which the login of the repository is opened.
  'repository.fetch': job({
    pool: 'deploy',
    payload: ChainPayload,
    result: ChainFetch,
    attempts: 5,
    deadlineMs: 10 * 60_000,
    everyMs: null,
  }),
  // Each attempt goes on at the step that the one before was at. What ends its process again and again is ended by the count of its step:
  // these are enough for all steps of the longest chain, and for what is before and behind them.
  'repository.chain': job({
    pool: 'analysis',
    payload: ChainPayload,
    result: ChainResult,
    attempts: STEP_ATTEMPTS * (2 + Math.max(...Object.values(CHAINS).map((steps) => steps.length))),
    deadlineMs: 30 * 60_000,
    everyMs: null,
    before: { job: 'repository.fetch', as: 'fetched' },
  }),
  'server.inspect': job({
    pool: 'deploy',
    payload: InspectPayload,
    result: InspectResult,
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

/** The job that a run of this name begins with. */
export function getFirstJob(job: JobName): JobName {
  const { before }: JobSpec = JOBS[job];
  return before !== undefined && isJobName(before.job) ? before.job : job;
}

/** The job that goes on with the same run, and the field of its payload that gets the result of this one; null for most. */
export function nextJobOf(job: JobName): { readonly job: JobName; readonly as: string } | null {
  for (const [name, { before }] of Object.entries<JobSpec>(JOBS))
    if (before?.job === job && isJobName(name)) return { job: name, as: before.as };
  return null;
}

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(JOBS, name);
}

/** The jobs of one pool. */
export type JobsOf<L extends JobPool> = { [N in JobName]: (typeof JOBS)[N]['pool'] extends L ? N : never }[JobName];
export type JobPayload<N extends JobName> = z.output<(typeof JOBS)[N]['payload']>;
export type JobResult<N extends JobName> = z.output<(typeof JOBS)[N]['result']>;
