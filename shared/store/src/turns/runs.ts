import { getCurrentLanguage } from '@signalbox/messages/language';
import { SEND_PRIORITY, type RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { AppError } from '@signalbox/contracts/errors';
import { sayError } from '@signalbox/messages/say';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { makeStorable } from '@signalbox/contracts/storable';
import { putOutbox } from '../conversation/outbox.ts';
import {
  FINISHED_RUN_COLUMNS,
  notifyCompletion,
  type WaitingPerson,
  type FinishedRun,
  type CompletionNotice,
} from './run-ends.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, sql, type Sql } from '../sql.ts';

/** A request to run a job. `person` is notified of its end; null for scheduled work. */
export interface RunIntent {
  readonly runId: string;
  readonly job: string;
  readonly payload: unknown;
  readonly person: { readonly userKey: string; readonly chatKey: string } | null;
  readonly threadId: string | null;
  readonly traceId: string;
  readonly requestHash?: string;
}

/** A run that this process holds, until the run ends or another process takes it over. */
export interface LeasedRun {
  readonly runId: string;
  readonly epoch: number;
}

export type BeginRunResult =
  /** This process claimed the run. `attempt` counts from 1. */
  | {
      readonly kind: 'held';
      readonly run: LeasedRun;
      readonly attempt: number;
      readonly payload: unknown;
      readonly traceId: string;
      /** Requester and thread of the run; null for scheduled work. */
      readonly userKey: string | null;
      readonly threadId: string | null;
      readonly language: string | null;
      /** True when the run was canceled while another process held it, so that it only has to be ended. */
      readonly isCancelled: boolean;
    }
  /** Another process holds the run, and sent a heartbeat within the lease. */
  | { readonly kind: 'busy' }
  /** The run has ended, or its id is unknown. */
  | { readonly kind: 'over' };

export interface RunEnd {
  readonly outcome: 'done' | 'failed' | 'cancelled';
  readonly result: unknown;
  readonly error: string | null;
  /** Sentence about the outcome, for the person. */
  readonly say: string;
  /** True when the sentence quotes nothing that others wrote. */
  readonly isOwn?: boolean;
  /** One line about the outcome for the cards of the approvers; default: the first line of `say`. */
  readonly brief?: string;
}

export interface RunRow {
  readonly runId: string;
  readonly job: string;
  /** `cancelling`: the run was canceled, but its worker has not stopped yet. */
  readonly status: 'queued' | 'running' | 'cancelling' | 'done' | 'failed' | 'cancelled';
  readonly userKey: string | null;
  readonly threadId: string | null;
  readonly progress: unknown;
  readonly result: unknown;
  readonly error: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface RunMessageOptions {
  /** True to send nothing when the message to edit no longer exists. */
  readonly isLast?: boolean;
  readonly buttons?: readonly RuntimeButton[];
}

const NOBODY_NOTIFIED: CompletionNotice = { lane: null, cards: [] };

/** Maximum number of stored executions per scheduled job. */
const KEPT_SCHEDULED = 100;
/** Maximum number of lost runs that a sweep requeues. */
const SWEEP_BATCH = 100;

/** Status of a run as readers see it; the table stores `cancelling` as `running`. */
const RUN_STATUS = sql`case when status = 'running' and cancel_at is not null then 'cancelling' else status end`;

/** SQL condition: people see the run as failed, which includes a completed run of a failed deployment. */
export const RUN_FAILED_SQL = sql`(status = 'failed'
  or status = 'done' and job = 'deploy.run' and coalesce(result ->> 'state', '') in ('failed', 'rolled_back'))`;

export const RUN_OUTCOME_SQL = sql`case when ${RUN_FAILED_SQL} then 'failed' else ${RUN_STATUS} end`;

const COLUMNS = sql`run_id as "runId", job, ${RUN_STATUS} as status, user_key as "userKey", thread_id as "threadId", progress, result, error, attempts,
  created_at as "createdAt", finished_at as "finishedAt"`;

/** Builds an SQL condition on a run's row: the run is held with this epoch. */
const isHeld = ({ runId, epoch }: LeasedRun): Sql => sql`run_id = ${runId} and epoch = ${epoch} and status = 'running'`;

/** Writes a run in the caller's transaction: see `Runs.create`. */
export async function putRun(db: Queryable, intent: RunIntent): Promise<boolean> {
  const { runId, job, payload, person, threadId, traceId, requestHash = null } = intent;
  const isNew = await hasRow(db)`
    insert into runs (run_id, job, payload, user_key, chat_key, thread_id, trace_id, request_hash, language)
     values (${runId}, ${job}, ${JSON.stringify(redactValue(payload))}::jsonb, ${person?.userKey ?? null}, ${person?.chatKey ?? null},
       ${threadId}, ${traceId}, ${requestHash}, ${getCurrentLanguage()}) on conflict (run_id) do nothing`;
  if (isNew) return true;
  // Runs of earlier releases have no request hash.
  const isSame = await findValue(db, true)`
    select job = ${job} and thread_id is not distinct from ${threadId} and coalesce(request_hash = ${requestHash}, true)
       from runs where run_id = ${runId}`;
  if (!isSame) throw new AppError('ACTION_ID_TAKEN', { tool: job, differs: 'request' });
  return false;
}

/**
 * Long-running jobs in Postgres, the source of truth, without secrets; the queue in Redis only says which run is next.
 *
 *   queued ──begin──▶ running ──finish──▶ done | failed | cancelled
 *     ▲                  │
 *     └──────giveBack────┘          running without a heartbeat within the lease: begin takes the run over (epoch + 1)
 *   cancel: queued ──▶ cancelled; a running run is `cancelling` until its worker has stopped
 */
export class RunStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Creates a run. Idempotent by run id; false when the run existed. Throws ACTION_ID_TAKEN when the id belongs to another job,
   * conversation or request.
   */
  create(intent: RunIntent): Promise<boolean> {
    return putRun(this.#pool, intent);
  }

  find(runId: string): Promise<RunRow | null> {
    return findRow<RunRow>(this.#pool)`select ${COLUMNS} from runs where run_id = ${runId}`;
  }

  /** Claims a run that is queued (for `job`, if given), or whose holder was silent for `leaseMs`. Only one process gets it. */
  async begin(runId: string, leaseMs: number, job: string | null = null): Promise<BeginRunResult> {
    const row = await findRow<
      Omit<Extract<BeginRunResult, { kind: 'held' }>, 'kind' | 'run'> & Pick<LeasedRun, 'epoch'>
    >(this.#pool)`
      update runs set status = 'running', attempts = attempts + 1, epoch = epoch + 1,
              started_at = coalesce(started_at, clock_timestamp()), beat_at = clock_timestamp()
        where run_id = ${runId} and job_due(job, payload) = coalesce(${job}, job_due(job, payload))
          and (status = 'queued' or status = 'running' and beat_at < clock_timestamp() - ${leaseMs} * interval '1 ms')
        returning epoch, attempts as attempt, payload, trace_id as "traceId", user_key as "userKey", thread_id as "threadId",
                  cancel_at is not null as "isCancelled", language`;
    if (row) {
      const { epoch, ...begun } = row;
      return { kind: 'held', run: { runId, epoch }, ...begun };
    }
    const isOpen = await hasRow(
      this.#pool,
    )`select 1 from runs where run_id = ${runId} and job_due(job, payload) = coalesce(${job}, job_due(job, payload)) and status in ('queued', 'running')`;
    return { kind: isOpen ? 'busy' : 'over' };
  }

  /** Extends the leases of all held runs. Returns the ids of runs that were lost or canceled and have to stop. */
  async beat(
    held: readonly LeasedRun[],
  ): Promise<{ readonly lost: readonly string[]; readonly cancelled: readonly string[] }> {
    const rows = await listRows<{ runId: string; isCancelled: boolean }>(this.#pool)`
      update runs r set beat_at = clock_timestamp()
        from unnest(${held.map((run) => run.runId)}::text[], ${held.map((run) => run.epoch)}::int[]) as k (run_id, epoch)
        where r.run_id = k.run_id and r.epoch = k.epoch and r.status = 'running'
        returning r.run_id as "runId", r.cancel_at is not null as "isCancelled"`;
    const kept = new Set(rows.map(({ runId }) => runId));
    return {
      lost: held.flatMap(({ runId }) => (kept.has(runId) ? [] : [runId])),
      cancelled: rows.flatMap(({ runId, isCancelled }) => (isCancelled ? [runId] : [])),
    };
  }

  /** Stores the progress of a run. False when the run was lost. */
  report(run: LeasedRun, progress: unknown): Promise<boolean> {
    return hasRow(this.#pool)`
      update runs set progress = ${JSON.stringify(redactValue(progress))}::jsonb, beat_at = clock_timestamp()
        where ${isHeld(run)}`;
  }

  /**
   * Puts a message for the waiting person into the outbox. Runs of one deployment share their slots: messages in a slot edit one another,
   * and an unchanged message is not repeated. The row lock keeps a process that lost the run from writing after its successor. When the
   * run was lost, `held` is false and nothing is written.
   */
  tell(
    run: LeasedRun,
    message: { readonly text: string; readonly slot: string; readonly key: string } & RunMessageOptions,
  ): Promise<{
    readonly held: boolean;
    readonly chat: { readonly chatKey: string; readonly traceId: string } | null;
  }> {
    return withTransaction(this.#pool, async (db) => {
      const row = await findRow<WaitingPerson & { slot: string; text: string | null }>(db)`
        select r.user_key as "userKey", r.chat_key as "chatKey", r.thread_id as "threadId", r.trace_id as "traceId",
                s.slot, (select o.body ->> 'text' from outbox o where o.chat_key = r.chat_key and o.slot = s.slot order by o.id desc
                  limit 1)
                as text
           from runs r, lateral (select coalesce(r.payload ->> 'deploymentId', r.run_id) || '/' || ${message.slot} as slot) s
          where ${isHeld(run)} for share of r`;
      if (!row) return { held: false, chat: null };
      const { userKey, chatKey, threadId, traceId, slot, text: newest } = row;
      if (userKey === null || chatKey === null) return { held: true, chat: null };
      const key = `${run.runId}/${message.key}`;
      const body = {
        text: message.text,
        buttons: [...(message.buttons ?? [])],
        ...(message.isLast ? { onlyChanges: true } : {}),
        progress: message.isLast ? ('over' as const) : ('underway' as const),
      };
      const envelope = { key, chatKey, userKey, threadId, traceId, priority: SEND_PRIORITY.progress, slot, body };
      const put = newest === redactText(message.text) ? [] : await putOutbox(db, [envelope]);
      return { held: true, chat: put.length === 0 ? null : { chatKey, traceId } };
    });
  }

  /** Requeues a run, due in `delayMs`. Unless `counts`, the attempt is refunded. */
  giveBack(
    run: LeasedRun,
    options: { readonly delayMs: number; readonly counts: boolean; readonly error: string | null },
  ): Promise<boolean> {
    return hasRow(this.#pool)`
      update runs set status = 'queued', queued_at = clock_timestamp() + ${options.delayMs} * interval '1 ms', beat_at = null,
              attempts = attempts - case when ${options.counts} then 0 else 1 end,
                error = coalesce(${options.error && redactText(options.error)}, error)
        where ${isHeld(run)}`;
  }

  /** Requeues a run for the next job of its chain. The payload gets this result, and attempts start again. */
  handOn(run: LeasedRun, as: string, result: unknown): Promise<boolean> {
    return hasRow(this.#pool)`
      update runs set payload = payload || jsonb_build_object(${as}::text, ${JSON.stringify(redactValue(result))}::jsonb),
              status = 'queued', queued_at = clock_timestamp(), beat_at = null, attempts = 0
        where ${isHeld(run)}`;
  }

  /** Lets this person wait for the end of the run. False when the run has ended. */
  tellWhenDone(runId: string, person: { readonly userKey: string; readonly chatKey: string }): Promise<boolean> {
    return hasRow(this.#pool)`update runs set user_key = ${person.userKey},
        chat_key = ${person.chatKey} where run_id = ${runId} and status in ('queued', 'running')`;
  }

  /**
   * Requests to cancel a run. A queued run ends at once; a running one when its worker has stopped, which notices the request within a
   * second. `by`: a person's key, or a user of the command line; the waiting person is notified unless they made the request. Idempotent;
   * `over`: the run had already ended. `note` writes about the request in the same transaction, unless the run is over.
   */
  cancel(
    runId: string,
    by: string,
    note?: (db: Queryable, run: { readonly job: string; readonly status: string }) => Promise<void>,
  ): Promise<CompletionNotice & { readonly kind: 'cancelled' | 'cancelling' | 'over' }> {
    return withTransaction(this.#pool, async (db) => {
      const row = await findRow<FinishedRun & { readonly status: string }>(db)`
        update runs set cancel_at = coalesce(cancel_at, clock_timestamp()), cancel_by = coalesce(cancel_by, ${by}),
                status = case when status = 'queued' then 'cancelled' else status end,
                epoch = epoch + case when status = 'queued' then 1 else 0 end,
                finished_at = case when status = 'queued' then clock_timestamp() end
          where run_id = ${runId} and status in ('queued', 'running') returning status, ${FINISHED_RUN_COLUMNS}`;
      if (!row) return { kind: 'over', ...NOBODY_NOTIFIED };
      await note?.(db, row);
      if (row.status === 'running') return { kind: 'cancelling', ...NOBODY_NOTIFIED };
      const error = sayError('JOB_CANCELLED', { job: row.job });
      await db.query(sql`update runs set error = ${error} where run_id = ${runId}`);
      return { kind: 'cancelled', ...(await notifyCompletion(db, row, { outcome: 'cancelled', say: error })) };
    });
  }

  /**
   * Ends a run, puts `job-finished` into the inbox of the waiting person, and updates the approval cards, in one transaction. Writes
   * nothing when the run was lost. A person who canceled the run is not notified.
   */
  finish(run: LeasedRun, given: RunEnd): Promise<CompletionNotice & { readonly recorded: boolean }> {
    return withTransaction(this.#pool, async (db) => {
      const end = makeStorable(redactValue(given));
      const row = await findRow<FinishedRun>(db)`
        update runs set status = ${end.outcome}, result = ${JSON.stringify(end.result ?? null)}::jsonb, error = ${end.error},
          finished_at = clock_timestamp(), beat_at = null
          where ${isHeld(run)} returning ${FINISHED_RUN_COLUMNS}`;
      if (!row) return { recorded: false, ...NOBODY_NOTIFIED };
      return { recorded: true, ...(await notifyCompletion(db, row, end)) };
    });
  }

  /** Records an execution of a scheduled job, and deletes all but the newest hundred of that job. */
  async record(
    execution: {
      readonly runId: string;
      readonly job: string;
      readonly traceId: string;
      readonly startedAt: Date;
      readonly outcome: 'done' | 'failed';
    } & Omit<RunEnd, 'say' | 'outcome'>,
  ): Promise<void> {
    const { runId, job, traceId, startedAt, outcome, result, error } = redactValue(execution);
    await this.#pool.query(sql`
      insert into runs (run_id, job, payload, trace_id, status, result, error, attempts, created_at, queued_at, started_at, finished_at)
       values (${runId}, ${job}, '{}', ${traceId}, ${outcome}, ${JSON.stringify(result ?? null)}::jsonb, ${error}, 1, ${startedAt},
         ${startedAt}, ${startedAt}, clock_timestamp())`);
    await this.#pool.query(sql`delete from runs where run_id in (
         select run_id from runs where job = ${job} and user_key is null and status in ('done', 'failed')
          order by finished_at desc offset ${KEPT_SCHEDULED})`);
  }

  /**
   * Finds runs of these jobs that the queue may have lost: due for longer than `quietMs`, or held by a process that is silent for twice
   * `leaseMs`. Enqueuing a run again is idempotent.
   */
  sweep(jobs: readonly string[], quietMs: number, leaseMs: number) {
    return listRows<{ runId: string; job: string; traceId: string }>(this.#pool)`
      update runs set queued_at = clock_timestamp() where run_id in (
         select run_id from runs
          where job_due(job, payload) = any (${jobs})
            and (status = 'queued' and queued_at < clock_timestamp() - ${quietMs} * interval '1 ms'
                 or status = 'running' and beat_at < clock_timestamp() - 2 * ${leaseMs} * interval '1 ms')
          order by queued_at limit ${SWEEP_BATCH} for update skip locked)
       returning run_id as "runId", job_due(job, payload) as job, trace_id as "traceId"`;
  }
}
