import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { JOBS, type JobName, type JobPayload, type JobResult } from '@signalbox/contracts/operations/jobs';
import type { RunStore } from '@signalbox/store/turns/runs';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import type { Queue } from '@signalbox/platform/queue/queue';
import { redactValue } from '@signalbox/safety/redact/redact';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import { findInternalFailure } from '@signalbox/messages/own-failure';
import { say } from '@signalbox/messages/say';
import type { JobCall, ToolRunDeps } from './run.ts';
import type { CallScope } from '@signalbox/governance/calls/call';
import { StoppedByPerson } from '@signalbox/governance/calls/call';
import type { JobWait } from './tool.ts';

/** The part of a tool's deadline reserved for answering that the job is still running. */
const MARGIN_MS = 2 * SECOND_MS;
/** The pause before the first check of a job: short, so that a quick job is noticed at once. */
const FIRST_LOOK_MS = 15;
const LAST_LOOK_MS = 250;

/** Runs jobs; a restarted worker waits for the same run. Throws ACTION_ID_TAKEN when the id belongs to another run. */
export function createJobClient(parts: {
  readonly runs: RunStore;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly log: Log;
}): Pick<ToolRunDeps, 'enqueue' | 'work' | 'look'> {
  return {
    enqueue: async (job, payload, scope, call) => {
      const person = { userKey: scope.actor.userKey, chatKey: scope.chatKey };
      return enqueueRun(parts, await runOf(job, payload, scope, call, person));
    },
    look: async (job, actionId) => {
      const run = await parts.runs.find(actionId);
      if (run === null) return { kind: 'not-done' };
      if (run.status === 'done') return { kind: 'done', output: resultOf(job, run.result) };
      if (run.status !== 'failed' && run.status !== 'cancelled') return { kind: 'unknown' };
      return { kind: 'failed', error: jobFailed(job, actionId, run.error) };
    },
    work: async (job, payload, scope, call, wait) => {
      const { signal } = scope;
      const { actionId } = call;
      // No message reports the end while the tool itself waits for it.
      await enqueueRun(parts, await runOf(job, payload, scope, call, null));
      const forMs = wait.deadlineMs - MARGIN_MS;
      const { userKey } = scope.actor;
      const ended = await waitForEnd(parts, job, actionId, { signal, forMs, userKey });
      if (ended) return ended;
      if (wait.isQuiet) {
        await parts.runs.cancel(actionId, userKey);
        return { kind: 'goes-on', runId: actionId };
      }
      const person = { userKey, chatKey: scope.chatKey };
      if (await parts.runs.tellWhenDone(actionId, person)) return { kind: 'goes-on', runId: actionId };
      const late = await lookForEnd(parts, job, actionId); // the run may have ended after the last check
      if (late) return late;
      throw new AppError('JOB_FAILED', { job, detail: 'its record is gone' });
    },
  };
}

/** Prepares a job's run for a call. The checkpoint is stored first; the run's hash includes the person and the call. */
async function runOf<N extends JobName>(
  job: N,
  payload: JobPayload<N>,
  scope: CallScope,
  { actionId, name: tool, input }: JobCall,
  person: Parameters<typeof enqueueRun<N>>[1]['person'],
): Promise<Parameters<typeof enqueueRun<N>>[1]> {
  if (hashCanonical(redactValue(payload)) !== hashCanonical(payload)) {
    // The stored arguments contain no secrets, and the job runs the stored arguments.
    const argument = say('governance.argumentsOfJob', { job });
    throw new AppError('SECRET_NOT_WRITTEN', { argument, what: say('governance.someSecret') });
  }
  await scope.flush();
  const { threadId, traceId, turnKey, actor } = scope;
  const asked = JSON.parse(JSON.stringify({ userKey: actor.userKey, threadId, turnKey, tool, input })) as unknown;
  return { runId: actionId, job, payload, person, threadId, traceId, requestHash: hashCanonical(asked) };
}

/** Returns null when the run has not ended in time. Throws the signal's reason; a /stop cancels the job. */
async function waitForEnd<N extends JobName>(
  parts: Parameters<typeof createJobClient>[0],
  job: N,
  runId: string,
  until: { readonly signal: AbortSignal; readonly forMs: number; readonly userKey: string },
): Promise<JobWait<JobResult<N>> | null> {
  const { signal } = until;
  const lastLookAt = performance.now() + until.forMs;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 1.5, LAST_LOOK_MS)) {
    if (signal.aborted) {
      // A stopped turn reports its jobs and does not wait for them.
      if (signal.reason instanceof StoppedByPerson) await parts.runs.cancel(runId, until.userKey);
      throw signal.reason;
    }
    const ended = await lookForEnd(parts, job, runId);
    if (ended || performance.now() >= lastLookAt) return ended;
    await sleep(pauseMs, signal);
  }
}

async function lookForEnd<N extends JobName>(
  parts: Parameters<typeof createJobClient>[0],
  job: N,
  runId: string,
): Promise<JobWait<JobResult<N>> | null> {
  const run = await parts.runs.find(runId);
  if (run?.status === 'failed' || run?.status === 'cancelled') throw jobFailed(job, runId, run.error);
  if (run?.status !== 'done') return null;
  return { kind: 'done', result: resultOf(job, run.result) };
}

/** Creates the error of a failed job; its text contains no words from outside. */
function jobFailed(job: JobName, runId: string, error: string | null): AppError {
  const own = error === null ? new AppError('INTERNAL', { ref: runId }) : findInternalFailure(error, runId);
  return new AppError('JOB_FAILED', { job, detail: error ?? 'no reason was recorded' }, own ?? undefined);
}

/** Parses a job's result. The job service used the same schema, but a newer release may have added fields. */
function resultOf<N extends JobName>(job: N, result: unknown): JobResult<N> {
  return JOBS[job].result.parse(result) as JobResult<N>; // the job's own schema parsed it
}
