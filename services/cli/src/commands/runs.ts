import { findRun, findRuns, waitForRun, type RunDetail } from '../queries/run-search.ts';
import { RunStore } from '@signalbox/store/turns/runs';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { recordChange } from '../actor.ts';
import { parseSince, runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { z } from 'zod';
import { formatList, formatTime } from '../table.ts';
import { wakeTarget } from '../wake-up.ts';

/** Maximum wait for a cancelled run: handlers are notified within a second, and have 15 s to stop. */
const CANCEL_WAIT_MS = 20 * SECOND_MS;

/** Searches job runs, shows one, or cancels one and waits for its end. */
export function runRuns(context: CommandContext): Promise<CommandResult> {
  const verbs = {
    list: { words: 0, run: listRuns },
    show: { words: 1, run: showRun },
    cancel: { words: 1, run: cancelRun },
  };
  return runSubcommand(context, verbs, 'list');
}

async function listRuns(context: CommandContext): Promise<CommandResult> {
  const { job, status, project, person, since, text, limit } = context.arguments;
  const sinceMs = since === undefined ? null : parseSince(since);
  const runs = await findRuns(context.database(), { job, status, project, userKey: person, sinceMs, text, limit });
  const rows = runs.map((run) => [
    run.runId,
    run.job,
    run.status,
    run.userKey,
    formatTime(run.createdAt),
    run.startedAt === null ? '' : sayDuration((run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime()),
    run.error ?? describeFailure(run) ?? (run.progress === null ? '' : JSON.stringify(run.progress)),
  ]);
  const headings = ['RUN', 'JOB', 'STATUS', 'PERSON', 'SINCE', 'TOOK', 'WHAT'];
  return { ok: true, data: runs, lines: formatList(headings, rows, 'No runs match.') };
}

async function showRun(context: CommandContext, runId: string): Promise<CommandResult> {
  const run = (await findRun(context.database(), runId)) ?? throwNotFound(runId);
  const when = (at: Date | null): string => (at === null ? '–' : formatTime(at));
  const lines = [
    `${run.runId}  ${run.status}`,
    `  job ${run.job}, attempt ${run.attempts}, person ${run.userKey ?? '–'}, chat ${run.chatKey ?? '–'}, thread ${run.threadId ?? '–'}`,
    `  created ${when(run.createdAt)}, started ${when(run.startedAt)}, last sign ${when(run.beatAt)}, finished ${when(run.finishedAt)}`,
    ...(run.cancelAt === null ? [] : [`  cancelled ${when(run.cancelAt)} by ${run.cancelBy ?? '–'}`]),
    `  trace ${run.traceId}`,
    ...(run.error === null ? [] : [`  error ${run.error}`]),
    ...formatJson('about', run.payload),
    ...formatJson('progress', run.progress),
    ...formatJson('result', run.result),
  ];
  return { ok: true, data: run, lines };
}

async function cancelRun(context: CommandContext, runId: string): Promise<CommandResult> {
  const runs = new RunStore(context.database());
  const cancelled = await runs.cancel(runId, context.actor, (db, { job, status }) =>
    recordChange(db, context.actor, 'run.cancel_requested', { run: runId, job, status }),
  );
  // The inbox of the person contains the end of the run by now.
  if (cancelled.lane) await wakeTarget(context, { kind: 'lane', ...cancelled.lane });
  const isOver = (run: RunDetail): boolean => run.status !== 'cancelling';
  const run = (await waitForRun(context.database(), runId, isOver, CANCEL_WAIT_MS)) ?? throwNotFound(runId);
  return { ok: run.status === 'cancelled', data: run, lines: [describeCancel(run)] };
}

function describeCancel({ runId, status, error }: RunDetail): string {
  switch (status) {
    case 'cancelled':
      return `${runId} is cancelled: whoever worked on it has stopped.`;
    case 'cancelling':
      return `${runId} is to stop and has not yet. \`runs show ${runId}\` tells when it has.`;
    case 'done':
      return `${runId} was not cancelled: it is done.`;
    default:
      return `${runId} was not cancelled: it is ${status}${error === null ? '' : ` (${error})`}.`;
  }
}

const Failed = z.object({ failure: z.object({ sentence: z.string() }) });

function describeFailure({ status, result }: RunDetail): string | null {
  const failed = Failed.safeParse(result);
  return status === 'failed' && failed.success ? failed.data.failure.sentence : null;
}

function formatJson(name: string, value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  return [
    `  ${name}`,
    ...JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

function throwNotFound(runId: string): never {
  throw new AppError('NOT_FOUND', { kind: 'run', name: runId, known: 'see `runs`' });
}
