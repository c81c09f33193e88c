import { getFirstJob, JOBS, getNextJob, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import { isTransient } from '@signalbox/store/pool';
import { runInLanguage } from '@signalbox/messages/language';
import type { BeginRunResult, RunStore, LeasedRun, RunEnd } from '@signalbox/store/turns/runs';
import { AppError, toAppError } from '@signalbox/contracts/errors';
import { explainError, sayError } from '@signalbox/messages/say';
import { readActionId, newId, newTraceId } from '@signalbox/contracts/ids';
import type { Log } from '@signalbox/platform/log';
import type { Tracing } from '@signalbox/platform/tracing/tracing';
import type { QueuedJob, QueueVerdict } from '@signalbox/platform/queue/consume';
import { computeBackoffMs, SECOND_MS, sleep, waitOrAbort, waitAtMost } from '@signalbox/contracts/time';
import type { JobContext, JobHandler, JobHandlers } from './handlers.ts';
import type { LeasedRuns } from './leased-runs.ts';
import { createJobContext, type Execution } from './job-context.ts';
import type { JobMetrics } from '../metrics.ts';
import type { SecretOpener } from './open-secret.ts';
import { createOpenedSecrets } from './opened-secrets.ts';

type JobLimits = Pick<JobSpec, 'attempts' | 'deadlineMs' | 'stallMs'>;
export interface RunnerDeps {
  readonly runs: RunStore;
  readonly held: LeasedRuns;
  readonly handlers: JobHandlers;
  readonly metrics: JobMetrics;
  readonly leaseMs: number;
  readonly log: Log;
  readonly openSecret: SecretOpener;
  readonly tracing: Tracing;
  /** Wakes the conversation of a person whose run has ended. The sweeper covers failures, since the inbox row is written. */
  readonly wake: (lane: { readonly userKey: string; readonly traceId: string }) => Promise<void>;
  /** Notifies the gateway of messages for a chat. The sweeper covers failures, since the outbox row is written. */
  readonly notify: (chat: { readonly chatKey: string; readonly traceId: string }) => Promise<void>;
  /** Queues a run for the next job of its chain. The sweeper of that job's pool covers failures. */
  readonly handOn: (job: JobName, run: { readonly runId: string; readonly traceId: string }) => Promise<void>;
  /** Attempts and deadlines per job; tests override the limits in the contract. */
  readonly limits?: Readonly<Partial<Record<JobName, JobLimits>>>;
  /** Grace period of an aborted handler, in milliseconds. */
  readonly settleMs?: number;
}

type StopReason = 'deadline' | 'stalled' | 'cancelled' | 'stopping' | 'lost';
/** Reasons for which the run ends only after its handler has stopped. */
const WAITED_FOR: readonly (StopReason | null)[] = ['deadline', 'stalled', 'cancelled'];

const RETRY_BASE_MS = 2 * SECOND_MS;
const RETRY_MAX_MS = 60 * SECOND_MS;
/** The end of a run is stored with retries, because an unrecorded run would be repeated. */
const RECORD_ATTEMPTS = 6;
const SETTLE_MS = 15 * SECOND_MS;

const FORGET: QueueVerdict = { kind: 'forget' };

/**
 * Decides what becomes of a job from the queue.
 *
 *   requested:  claim ─ ended, or at another job of its chain → forget · busy → again after a lease · too many attempts → failed
 *               run   ─ done → store, notify, forget; or queue the chain's next job · transient error → again · other error → failed
 *                     ─ deadline or no progress → failed, cancelled → cancelled, both once the handler has stopped
 *                     ─ this process stops → again without counting the attempt · claimed by another process → forget
 *   scheduled:  run   ─ done or failed → store if notable, forget; the schedule starts the next execution
 */
export function createRunner(parts: RunnerDeps): (queued: QueuedJob) => Promise<QueueVerdict> {
  return (queued) => (queued.runId === null ? runScheduled(parts, queued) : runAsked(parts, queued, queued.runId));
}

async function runAsked(parts: RunnerDeps, queued: QueuedJob, runId: string): Promise<QueueVerdict> {
  // An earlier release may have queued the run under the name of its whole chain.
  const job = parts.handlers[queued.job] ? queued.job : getFirstJob(queued.job);
  const begun = await parts.runs.begin(runId, parts.leaseMs, job);
  if (begun.kind === 'over') return FORGET;
  if (begun.kind === 'busy') return { kind: 'again', delayMs: parts.leaseMs / 2 };
  return runInLanguage(begun.language, () => runClaimed(parts, { ...queued, job }, runId, begun));
}

/** Runs a claimed job, with messages in the language of its requester. */
async function runClaimed(
  parts: RunnerDeps,
  queued: QueuedJob,
  runId: string,
  { run, attempt, payload, traceId, userKey, threadId, isCancelled }: Extract<BeginRunResult, { kind: 'held' }>,
): Promise<QueueVerdict> {
  const owner = userKey === null ? null : { userKey, threadId };
  const log = parts.log.child({ job: queued.job, runId, traceId, attempt });
  const ending = { job: queued.job, run, traceId };
  if (isCancelled) return end(parts, ending, CANCELLED, log);
  const { attempts } = limitsOf(parts, queued.job);
  if (attempt > attempts) {
    const error = new AppError('JOB_INTERRUPTED', { attempts: String(attempts) });
    return end(parts, ending, { kind: 'failed', error }, log);
  }

  const from = Date.now();
  const outcome = await work(parts, queued, { job: queued.job, runId, attempt, owner, run, payload, log });
  const next = getNextJob(queued.job);
  const isLast = (outcome.kind === 'done' && next === null) || attempt >= attempts || !isGivenBack(outcome);
  traceRun(parts.tracing, { job: queued.job, runId, traceId, attempt, payload, from, isLast }, outcome);
  switch (outcome.kind) {
    case 'done':
      if (next === null) return end(parts, ending, outcome, log);
      if (await retryTransient(() => parts.runs.handOn(run, next.as, outcome.result)))
        await parts
          .handOn(next.job, { runId, traceId })
          .catch((error: unknown) => log.warn('queue did not take a run; the sweeper will', { error }));
      return FORGET;
    case 'stopped':
      if (outcome.why === 'lost') return FORGET; // The process that now has the run also has its place in the queue.
      if (outcome.why === 'stopping') {
        await parts.runs.giveBack(run, { delayMs: 0, counts: false, error: null });
        return { kind: 'again', delayMs: 0 };
      }
      if (outcome.why === 'cancelled') return end(parts, ending, CANCELLED, log);
      return end(parts, ending, tooLong(outcome.why, limitsOf(parts, queued.job)), log);
    case 'failed': {
      if (!isWorthRetrying(outcome.error) || attempt >= attempts) return end(parts, ending, outcome, log);
      const delayMs = computeBackoffMs(attempt - 1, RETRY_BASE_MS, RETRY_MAX_MS);
      log.warn('job failed, it is tried again', { error: outcome.error, delayMs });
      await parts.runs.giveBack(run, { delayMs, counts: true, error: describe(outcome.error, runId) });
      return { kind: 'again', delayMs };
    }
  }
}

function isGivenBack(outcome: RunOutcome): boolean {
  if (outcome.kind === 'stopped') return outcome.why === 'stopping' || outcome.why === 'lost';
  return outcome.kind === 'failed' && isWorthRetrying(outcome.error);
}

/** Adds a span for the attempt under the requesting call. Only the last attempt continues its trace. */
function traceRun(
  tracing: Tracing,
  run: {
    readonly job: JobName;
    readonly runId: string;
    readonly traceId: string;
    readonly attempt: number;
    readonly payload: unknown;
    readonly from: number;
    readonly isLast: boolean;
  },
  outcome: RunOutcome,
): void {
  const { job, runId, traceId, attempt, payload, from, isLast } = run;
  tracing.record({
    name: 'job',
    kind: 'consumer',
    traceId,
    ...(isLast ? { key: `run:${runId}` } : {}),
    parent: `call:${readActionId(deploymentOf(payload) ?? runId)}`,
    from,
    until: Date.now(),
    errorCode: outcome.kind === 'failed' ? toAppError(outcome.error, runId).code : null,
    attributes: {
      'signalbox.job': job,
      'signalbox.job.pool': JOBS[job].pool,
      'signalbox.job.run_id': runId,
      'signalbox.job.attempt': attempt,
      'signalbox.outcome': outcome.kind === 'stopped' ? outcome.why : outcome.kind,
    },
  });
}

function deploymentOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('deploymentId' in payload)) return null;
  return typeof payload.deploymentId === 'string' ? payload.deploymentId : null;
}

async function runScheduled(parts: RunnerDeps, queued: QueuedJob): Promise<QueueVerdict> {
  const execution = { runId: newId('run'), job: queued.job, traceId: newTraceId(), startedAt: new Date() };
  const log = parts.log.child({ job: queued.job, runId: execution.runId, traceId: execution.traceId });
  const { runId, job } = execution;
  const outcome = await work(parts, queued, { job, runId, attempt: 1, owner: null, run: null, payload: {}, log });
  if (outcome.kind === 'stopped' && !WAITED_FOR.includes(outcome.why)) return FORGET;
  if (outcome.kind === 'done') {
    if (outcome.isNotable)
      await parts.runs.record({ ...execution, outcome: 'done', result: outcome.result, error: null });
    return FORGET;
  }
  const failure = outcome.kind === 'failed' ? outcome : tooLong(outcome.why, limitsOf(parts, job));
  log.warn('scheduled job failed', { error: failure.error });
  await parts.runs.record({
    ...execution,
    outcome: 'failed',
    result: null,
    error: describe(failure.error, execution.runId),
  });
  return FORGET;
}

type DoneOutcome = {
  readonly kind: 'done';
  readonly result: unknown;
  readonly say: string;
  readonly isOwn: boolean;
  readonly brief: string;
  readonly isNotable: boolean;
};
type FailedOutcome = { readonly kind: 'failed'; readonly error: unknown };
const CANCELLED = { kind: 'cancelled' } as const;
type RunOutcome = DoneOutcome | FailedOutcome | { readonly kind: 'stopped'; readonly why: StopReason };

/** Runs the handler under its deadline, the process's stop and the loss of the run. Never throws. */
async function work(parts: RunnerDeps, queued: QueuedJob, execution: Execution): Promise<RunOutcome> {
  const { job, run, payload } = execution;
  const stop = new AbortController();
  let why: StopReason | null = null;
  const stopFor = (reason: StopReason): void => {
    why ??= reason;
    stop.abort(new Error(`the job was told to stop: ${reason}`));
  };
  const onStopping = (): void => stopFor('stopping');
  queued.signal.addEventListener('abort', onStopping, { once: true });
  if (queued.signal.aborted) onStopping();
  const deadline = setTimeout(() => stopFor('deadline'), limitsOf(parts, job).deadlineMs);
  const { stallMs } = limitsOf(parts, job);
  const stall = stallMs === undefined ? null : setTimeout(() => stopFor('stalled'), stallMs);
  const release = run
    ? parts.held.hold(run.runId, { ...run, lost: () => stopFor('lost'), cancelled: () => stopFor('cancelled') })
    : () => undefined;
  const observe = parts.metrics.start(job);
  const opened = createOpenedSecrets();
  const context = createJobContext(parts, execution, {
    signal: stop.signal,
    opened,
    lost: () => stopFor('lost'),
    sign: () => void stall?.refresh(),
  });
  const settle = (outcome: RunOutcome): RunOutcome => {
    observe(outcome.kind === 'stopped' ? outcome.why : outcome.kind);
    return outcome;
  };
  const working = call(parts.handlers, job, payload, context);
  try {
    // A handler that ignores the signal is abandoned, and can no longer end its run.
    return settle(opened.mask(await waitOrAbort(working, stop.signal)));
  } catch (error) {
    if (why !== null) {
      const late = WAITED_FOR.includes(why) && (await settled(working, parts.settleMs ?? SETTLE_MS, queued.signal));
      if (late === null) execution.log.error('handler left behind: it does not stop', { why });
      // The handler finished before it could be stopped, so the run counts as done.
      if (late && why === 'cancelled') return settle(opened.mask(late));
      return settle({ kind: 'stopped', why });
    }
    return settle({ kind: 'failed', error: opened.maskError(error, run?.runId ?? job) });
  } finally {
    clearTimeout(deadline);
    if (stall) clearTimeout(stall);
    queued.signal.removeEventListener('abort', onStopping);
    release();
  }
}

async function call<N extends JobName>(
  handlers: JobHandlers,
  name: N,
  payload: unknown,
  context: JobContext,
): Promise<DoneOutcome> {
  // Payload and result belong to the job's name; the schemas check them at run time.
  const handler = handlers[name] as JobHandler<unknown, unknown> | undefined;
  if (!handler) throw new Error(`this process has no handler for ${name}: its pool is not among JOBS_POOLS`);
  const result = JOBS[name].result.parse(await handler.run(JOBS[name].payload.parse(payload), context));
  const said = handler.say(result);
  const brief = handler.brief?.(result) ?? said.split('\n')[0] ?? '';
  const isOwn = handler.isOwn?.(result) ?? false;
  return { kind: 'done', result, say: said, isOwn, brief, isNotable: handler.isNotable?.(result) ?? true };
}

/** Waits for the handler: returns its result, false for a failure, null when it still runs after `forMs`. */
async function settled(
  working: Promise<DoneOutcome>,
  forMs: number,
  signal: AbortSignal,
): Promise<DoneOutcome | false | null> {
  const ended = working.catch(() => false as const);
  const inTime = await waitAtMost(waitOrAbort(ended, signal), forMs).catch(() => null); // The wait ends early with null when the process is stopping.
  return inTime ?? null;
}

async function end(
  parts: RunnerDeps,
  { job, run, traceId }: { readonly job: JobName; readonly run: LeasedRun; readonly traceId: string },
  outcome: DoneOutcome | FailedOutcome | typeof CANCELLED,
  log: Log,
): Promise<QueueVerdict> {
  const title = parts.handlers[job]?.title() ?? job;
  const { recorded, lane, cards } = await retryTransient(() =>
    parts.runs.finish(run, endOf(run.runId, title, outcome)),
  );
  if (!recorded) {
    log.warn('another process had taken the run over; this result is dropped');
    return FORGET;
  }
  if (outcome.kind !== 'failed') log.info('job finished', { outcome: outcome.kind });
  else log.error('job failed for good', { error: outcome.error });
  if (lane)
    await parts.wake(lane).catch((error: unknown) => log.warn('wake-up not sent; the sweeper sends it', { error }));
  for (const chatKey of cards)
    await parts
      .notify({ chatKey, traceId })
      .catch((error: unknown) => log.warn('card not published; the sweeper will publish it', { error }));
  return FORGET;
}

function endOf(runId: string, title: string, outcome: DoneOutcome | FailedOutcome | typeof CANCELLED): RunEnd {
  switch (outcome.kind) {
    case 'done': {
      const { result, say, isOwn, brief } = outcome;
      return { outcome: 'done', result, error: null, say, isOwn, brief };
    }
    case 'cancelled': {
      const words = sayError('JOB_CANCELLED', { job: title });
      return { outcome: 'cancelled', result: null, error: words, say: words };
    }
    case 'failed': {
      const error = describe(outcome.error, runId);
      return { outcome: 'failed', result: null, error, say: sayError('JOB_FAILED', { job: title, detail: error }) };
    }
  }
}

async function retryTransient<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= RECORD_ATTEMPTS || !isTransient(error)) throw error;
      await sleep(computeBackoffMs(attempt, 100, SECOND_MS));
    }
  }
}

function limitsOf(parts: RunnerDeps, job: JobName): JobLimits {
  return parts.limits?.[job] ?? JOBS[job];
}

function isWorthRetrying(error: unknown): boolean {
  return isTransient(error) || (error instanceof AppError && error.remedy === 'retry');
}

function tooLong(why: StopReason, { deadlineMs, stallMs = deadlineMs }: JobLimits): FailedOutcome {
  if (why === 'stalled')
    return { kind: 'failed', error: new AppError('JOB_STALLED', { seconds: String(stallMs / SECOND_MS) }) };
  return { kind: 'failed', error: new AppError('JOB_TOO_SLOW', { seconds: String(deadlineMs / SECOND_MS) }) };
}

/** Returns the catalog's sentence for people, never another program's error message. */
function describe(error: unknown, ref: string): string {
  return explainError(toAppError(error, ref));
}
