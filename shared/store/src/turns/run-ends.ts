import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { sayError } from '@signalbox/messages/say';
import { noteRunEnd } from '../governance/approval-cards.ts';
import { isAwaitedByPlan } from '../governance/plans.ts';
import { FINAL_STATES } from '../deploy/deployments-rows.ts';
import type { Queryable } from '../pool.ts';
import { wakeLane } from '../conversation/wake-lane.ts';
import { hasRow, sql } from '../sql.ts';

export interface WaitingPerson {
  readonly userKey: string | null;
  readonly chatKey: string | null;
  readonly threadId: string | null;
  readonly traceId: string;
}

export const FINISHED_RUN_COLUMNS = sql`run_id as "runId", job, user_key as "userKey", chat_key as "chatKey", thread_id as "threadId",
  trace_id as "traceId", finished_at as "finishedAt", cancel_by as "cancelBy", coalesce(payload ->> 'deploymentId', run_id) as "actionId"`;

export interface FinishedRun extends WaitingPerson {
  readonly runId: string;
  readonly job: string;
  readonly finishedAt: Date;
  readonly cancelBy: string | null;
  /** Id of the action that requested the run. Later runs of a deployment have other run ids. */
  readonly actionId: string;
}

interface EndWords {
  readonly outcome: 'done' | 'failed' | 'cancelled';
  readonly say: string;
  /** True when the sentence quotes nothing that others wrote. */
  readonly isOwn?: boolean;
  /** One line about the outcome for approval cards; default: the first line of `say`. */
  readonly brief?: string;
  /** Reason why the run failed. */
  readonly error?: string | null;
}

/** Whom to wake after the commit: a lane, and chats whose cards changed. */
export interface CompletionNotice {
  readonly lane: { readonly userKey: string; readonly traceId: string } | null;
  readonly cards: readonly string[];
}

type Asked = FinishedRun & { readonly userKey: string; readonly chatKey: string };
/**
 * Reports the end of a run, in the transaction that ends it: to the inbox of the waiting person, and on the approval cards. When nobody
 * waits, the action that waits for the run reports its end.
 */
export async function notifyCompletion(db: Queryable, run: FinishedRun, end: EndWords): Promise<CompletionNotice> {
  if (run.userKey === null) return { lane: null, cards: [] };
  if (end.outcome !== 'done' && (await isResumed(db, run))) return notifyInterrupted(db, run, end);
  return { lane: await notifyPerson(db, run, end), cards: await noteRunEnd(db, run.actionId, briefly(end)) };
}

/** Reports once that a deployment's run was interrupted; the run that resumes the deployment reports its end. */
async function notifyInterrupted(
  db: Queryable,
  run: FinishedRun,
  { outcome, error }: EndWords,
): Promise<CompletionNotice> {
  if (outcome === 'cancelled' || run.runId !== run.actionId) return { lane: null, cards: [] };
  const words = `❓ ${sayError('DEPLOYMENT_BROKE_OFF', { detail: error ?? '' })}`;
  const lane = await notifyPerson(db, run, { outcome: 'failed', say: words });
  return { lane, cards: await noteRunEnd(db, run.actionId, words) };
}

async function isResumed(db: Queryable, { job, actionId }: FinishedRun): Promise<boolean> {
  if (job !== 'deploy.run') return false;
  return hasRow(db)`select 1 from deployments where deployment_id = ${actionId}
      and state not in ${FINAL_STATES} and state <> 'queued'`;
}

/** True when the person canceled the deployment in the chat: the canceling action itself reports the end. */
async function isReportedByCancel(db: Queryable, { job, actionId, userKey }: FinishedRun): Promise<boolean> {
  if (job !== 'deploy.run') return false;
  return hasRow(db)`select 1 from deployments where deployment_id = ${actionId}
      and state = 'cancelled' and cancel_by = ${userKey} and cancel_action is not null`;
}

/** True when a job came to its end and what it deployed did not come to serve. */
async function hasFailedDeployment(db: Queryable, { job, actionId }: FinishedRun): Promise<boolean> {
  if (job !== 'deploy.run') return false;
  return hasRow(db)`select 1 from deployments where deployment_id = ${actionId} and state in ('failed', 'rolled_back')`;
}

/** Notifies the waiting person, and returns the lane to wake; null when nobody is notified, for example after a cancel. */
async function notifyPerson(db: Queryable, finished: FinishedRun, end: EndWords): Promise<CompletionNotice['lane']> {
  const { userKey, chatKey, ...run } = finished;
  if (userKey === null || chatKey === null) return null;
  const isKnown =
    end.say === '' ||
    (end.outcome === 'cancelled' && run.cancelBy === userKey) ||
    (await isReportedByCancel(db, finished));
  // A plan has to learn of the end that its person knows of.
  if (isKnown && !(await isAwaitedByPlan(db, run.actionId))) return null;
  const outcome = (await hasFailedDeployment(db, finished)) ? 'failed' : end.outcome;
  await wakeLane(db, describeEnd({ ...run, userKey, chatKey }, { ...end, outcome }));
  return { userKey, traceId: run.traceId };
}

function briefly({ outcome, say: words, brief }: EndWords): string {
  const line = brief ?? words.split('\n')[0] ?? '';
  if (outcome === 'done') return line;
  return `${outcome === 'failed' ? '❌' : '⏹'} ${line}`;
}

function describeEnd(run: Asked, end: EndWords): Omit<Extract<InboundEnvelope, { kind: 'job-finished' }>, 'id'> {
  const { runId, job, userKey, chatKey, threadId, traceId, finishedAt } = run;
  return {
    kind: 'job-finished',
    channel: 'jobs',
    bot: 'jobs',
    updateId: runId,
    userKey,
    chatKey,
    traceId,
    at: finishedAt.toISOString(),
    runId,
    job,
    threadId,
    outcome: end.outcome === 'done' ? 'done' : 'failed',
    say: end.say,
    isOwn: end.isOwn ?? false,
  };
}
