import type { Queryable } from './pool.ts';
import { listRows } from './sql.ts';
import type { ActionChangeRow } from './turns/context-rows.ts';

/** An action that ran and changed something, with the outcome of the job or deployment that it started. */
export interface LedgerEntry extends ActionChangeRow {
  readonly actionId: string;
  readonly turnKey: string | null;
  readonly status: 'done' | 'failed' | 'unknown';
  readonly errorCode: string | null;
  /** The result of a tool without outside text; null for other tools. */
  readonly result: unknown;
  readonly settledAt: Date | null;
  /** True for an action that the caller asked for by its id. */
  readonly isNamed: boolean;
}

const ENTRIES_READ = 200;

/**
 * Reads the settled actions of a conversation, oldest first, and the actions with these ids (their own ids, or those of their jobs) in
 * any conversation. Leaves out waiting, denied and unsettled actions.
 */
export function readLedger(db: Queryable, threadId: string, ids: readonly string[]): Promise<readonly LedgerEntry[]> {
  // Collects the ids first, in one array: with `or` or a join Postgres would scan all actions.
  return listRows<LedgerEntry>(db, 'receipts_read')`
    with named as (select unnest(${ids}::text[]) as id union select payload ->> 'deploymentId' from runs where run_id = any (${ids}))
    select * from (
      select a.action_id as "actionId", a.turn_key as "turnKey", a.tool, a.arguments,
             a.proposal #>> '{action,environment}' as environment, a.status, a.error_code as "errorCode",
             case when not a.marks && '{untrusted}' then a.result -> 'result' end as result, d.release,
             coalesce(d.state, r.status) as work, coalesce(d.finished_at, r.finished_at, a.settled_at) as "settledAt",
             exists (select from named where id = a.action_id) as "isNamed"
        from actions a left join runs r on r.run_id = a.action_id left join deployments d on d.deployment_id = a.action_id
       where a.action_id = any (array(select action_id from actions where thread_id = ${threadId} union select id from named))
         and a.status in ('done', 'failed', 'unknown') and a.started_at is not null
         and a.proposal #>> '{action,assessment,risk}' is distinct from 'safe'
         -- The effects of a plan are its steps.
         and not exists (select from plans p where p.plan_id = a.action_id)
       order by a.started_at desc, a.action_id desc limit ${ENTRIES_READ}) newest
    order by "settledAt", "actionId"`;
}

/** A recorded call of a conversation. */
export interface EarlierToolCall {
  readonly tool: string;
  readonly result: unknown;
}

const CALLS_READ = 100;

/** Reads the results of calls in earlier turns, newest first: only governed calls that succeeded. */
export function readEarlierToolCalls(db: Queryable, threadId: string): Promise<readonly EarlierToolCall[]> {
  return listRows<EarlierToolCall>(db)`
    select c #>> '{decided,action,tool}' as tool, c #> '{result,result}' as result
       from execution_turns e cross join json_array_elements(e.record -> 'calls') c
      where e.thread_id = ${threadId} and c #>> '{result,ok}' = 'true' and c #>> '{decided,action,tool}' is not null
      order by e.recorded_at desc limit ${CALLS_READ}`;
}
