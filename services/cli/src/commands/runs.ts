import { findRun, findRuns, type RunDetail } from '../queries/run-search.ts';
import { Runs } from '@signalbox/store/conversation/runs';
import { INBOUND } from '@signalbox/contracts/conversation/topics';
import { AppError } from '@signalbox/contracts/errors';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { recordChange } from '../actor.ts';
import { UsageError, type CommandContext, type Report } from '../command.ts';
import { z } from 'zod';
import { readDuration } from '../duration.ts';
import { formatTable, formatTime } from '../table.ts';

/** A handler has 15 s to stop, and is asked to within one. */
const CANCEL_WAIT_MS = 20 * SECOND_MS;
const LOOK_MS = 200;

/** Searches the runs of background jobs, shows one, or cancels one and waits until it has stopped. */
export async function runRuns(context: CommandContext): Promise<Report> {
  const [verb = 'list', runId, ...rest] = context.arguments.words;
  if (rest.length === 0) {
    if (verb === 'list' && runId === undefined) return listRuns(context);
    if (verb === 'show' && runId !== undefined) return showRun(context, runId);
    if (verb === 'cancel' && runId !== undefined) return cancelRun(context, runId);
  }
  throw new UsageError(
    'Write: runs [--job <job>] [--status <status>] [--project <name>] [--person <id>] [--since <1d>] [--text "<words>"] | runs show <id> | runs cancel <id>',
  );
}

async function listRuns(context: CommandContext): Promise<Report> {
  const { person, limit, options } = context.arguments;
  const runs = await findRuns(context.database(), {
    job: options.job,
    status: options.status,
    project: options.project,
    userKey: person,
    sinceMs: options.since === null ? null : readDuration('--since', options.since),
    text: options.text,
    limit,
  });
  const rows = runs.map((run) => [
    run.runId,
    run.job,
    run.status,
    run.userKey,
    formatTime(run.createdAt),
    tookOf(run),
    run.error ?? failureOf(run) ?? progressOf(run),
  ]);
  const headings = ['RUN', 'JOB', 'STATUS', 'PERSON', 'SINCE', 'TOOK', 'WHAT'];
  return { ok: true, data: runs, lines: runs.length > 0 ? formatTable(headings, rows) : ['No runs match.'] };
}

async function showRun(context: CommandContext, runId: string): Promise<Report> {
  const run = (await findRun(context.database(), runId)) ?? missing(runId);
  const when = (at: Date | null): string => (at === null ? '–' : formatTime(at));
  const lines = [
    `${run.runId}  ${run.status}`,
    `  job ${run.job}, attempt ${run.attempts}, person ${run.userKey ?? '–'}, chat ${run.chatKey ?? '–'}, thread ${run.threadId ?? '–'}`,
    `  created ${when(run.createdAt)}, started ${when(run.startedAt)}, last sign ${when(run.beatAt)}, finished ${when(run.finishedAt)}`,
    ...(run.cancelAt === null ? [] : [`  cancelled ${when(run.cancelAt)} by ${run.cancelBy ?? '–'}`]),
    `  trace ${run.traceId}`,
    ...(run.error === null ? [] : [`  error ${run.error}`]),
    ...part('about', run.payload),
    ...part('progress', run.progress),
    ...part('result', run.result),
  ];
  return { ok: true, data: run, lines };
}

async function cancelRun(context: CommandContext, runId: string): Promise<Report> {
  const runs = new Runs(context.database());
  const cancelled = await runs.cancel(runId, context.actor, (db, { job, status }) =>
    recordChange(db, context.actor, 'run.cancel_requested', { run: runId, job, status }),
  );
  if (cancelled.lane) await wake(context, cancelled.lane);
  const until = performance.now() + CANCEL_WAIT_MS;
  let run = (await findRun(context.database(), runId)) ?? missing(runId);
  while (run.status === 'cancelling' && performance.now() < until) {
    await sleep(LOOK_MS);
    run = (await findRun(context.database(), runId)) ?? missing(runId);
  }
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

/** The end of the run is in the person's inbox by now: a Redis that is away only costs the time until the sweeper looks. */
async function wake(
  context: CommandContext,
  lane: { readonly userKey: string; readonly traceId: string },
): Promise<void> {
  const { config } = context;
  try {
    const parts = { redis: context.redis(), prefix: config.REDIS_PREFIX, partitions: config.STREAM_PARTITIONS };
    await createPublisher(parts).publish(INBOUND, [lane]);
  } catch {
    return;
  }
}

function tookOf({ startedAt, finishedAt }: RunDetail): string {
  return startedAt === null ? '' : sayDuration((finishedAt ?? new Date()).getTime() - startedAt.getTime());
}

const Failed = z.object({ failure: z.object({ sentence: z.string() }) });

/** Why a deployment failed whose run did its work well. */
function failureOf({ status, result }: RunDetail): string | null {
  const failed = Failed.safeParse(result);
  return status === 'failed' && failed.success ? failed.data.failure.sentence : null;
}

function progressOf({ progress }: RunDetail): string {
  return progress === null ? '' : JSON.stringify(progress);
}

function part(name: string, value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  return [
    `  ${name}`,
    ...JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

function missing(runId: string): never {
  throw new AppError('NOT_FOUND', { kind: 'run', name: runId, known: 'see `runs`' });
}
