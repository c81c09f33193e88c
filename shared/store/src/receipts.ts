import type { Queryable } from './pool.ts';
import { listRows } from './sql.ts';

/** An action that ran and did more than read, with what became of the work that it began. */
export interface LedgerEntry {
  readonly actionId: string;
  readonly turnKey: string | null;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly environment: string | null;
  readonly status: 'done' | 'failed' | 'unknown';
  readonly errorCode: string | null;
  /** What the runtime itself knows of it: the result of a tool without text from outside; null for others. */
  readonly result: unknown;
  /** The release of a deployment. */
  readonly release: string | null;
  /** The state of the job or deployment that it began; null for an action that was over when it returned. */
  readonly work: string | null;
  readonly settledAt: Date | null;
  /** It is one of the actions that were asked for by id. */
  readonly isNamed: boolean;
}

/** As many as a conversation may refer to. */
const ENTRIES_READ = 200;

/**
 * What the ledger has of a conversation, oldest first, and of these actions, by their ids or those of their jobs, in whichever
 * conversation they were asked for. Waiting, denied and unsettled actions are not among them.
 */
export function readLedger(db: Queryable, threadId: string, ids: readonly string[]): Promise<readonly LedgerEntry[]> {
  // The ids come first, as one array: by a condition on thread or id, or a join, all actions would be read.
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
       order by a.started_at desc, a.action_id desc limit ${ENTRIES_READ}) newest
    order by "settledAt", "actionId"`;
}

/** A call that a conversation has made, as its record has it. */
export interface EarlierCall {
  readonly tool: string;
  readonly result: unknown;
}

/** Calls read of a conversation. */
const CALLS_READ = 100;

/** What calls of earlier turns gave back, the newest first: only those that succeeded and were governed. */
export function readEarlierCalls(db: Queryable, threadId: string): Promise<readonly EarlierCall[]> {
  return listRows<EarlierCall>(db)`
    select c #>> '{decided,action,tool}' as tool, c #> '{result,result}' as result
       from execution_turns e cross join json_array_elements(e.record -> 'calls') c
      where e.thread_id = ${threadId} and c #>> '{result,ok}' = 'true' and c #>> '{decided,action,tool}' is not null
      order by e.recorded_at desc limit ${CALLS_READ}`;
}
