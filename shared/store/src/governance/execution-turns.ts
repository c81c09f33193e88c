import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import type { StoredExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { buildAuditJson } from '../audit/audit.ts';
import type { Lane } from '../conversation/lane.ts';
import type { Proposal } from './approvals.ts';
import type { Queryable } from '../pool.ts';
import { findRow, listRows, sql, type Sql } from '../sql.ts';

/** A finished read, which the ledger contains only after it ran. */
export interface RecordedRead {
  readonly actionId: string;
  readonly turnId: string;
  readonly threadId: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: 'done' | 'failed';
  readonly errorCode: string | null;
  readonly proposal: Proposal;
  readonly hash: string;
  /** Time of the decision, ISO 8601. */
  readonly at: string;
}

/** The records of a turn, which are written when the turn ends. */
export interface TurnRecording {
  readonly records: readonly (StoredExecutionTurn & { readonly contextHash: string })[];
  readonly reads: readonly RecordedRead[];
  readonly events: readonly AuditEvent[];
}

/** Builds an SQL column that stores the records of a turn if `f.ok` says that the turn was ended by the holder of the lane. */
export function buildTurnRecording(lane: Lane, recording: TurnRecording | null): Sql {
  const { records = [], reads = [], events = [] } = recording ?? {};
  return sql`case when f.ok and ${recording !== null} then turn_record(${lane.userKey}, ${lane.epoch}, ${JSON.stringify(records)}::json,
    ${JSON.stringify(reads)}::jsonb, ${buildAuditJson(events)}::jsonb) end`;
}

/** A turn with its records, in order of its passes; without records when no agent ran. */
export interface RecordedTurn {
  readonly turnId: string;
  readonly threadId: string | null;
  readonly outcome: string;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Each record is an ExecutionTurn of the release that wrote it; the caller checks its shape. */
  readonly records: readonly { readonly record: unknown; readonly recordHash: string }[];
  /** Hashes of the records, as in the audit log; null when the audit log has no event. */
  readonly audited: readonly string[] | null;
}

const TURNS = sql`
select t.turn_id as "turnId", t.thread_id as "threadId", t.outcome, t.error, t.started_at as "startedAt",
       round(extract(epoch from t.ended_at - t.started_at) * 1000)::int as "durationMs",
       coalesce((select json_agg(json_build_object('record', e.record, 'recordHash', e.record_hash) order by e.pass)
                   from execution_turns e where e.turn_id = t.turn_id), '[]') as records,
       (select a.data -> 'records' from audit_events a
         where a.thread_id = t.thread_id and a.turn_id = t.turn_id and a.kind = 'turn.recorded' order by a.event_id limit 1) as audited
  from turns t`;

/** Reads all turns of a conversation, oldest first: a lane holds one turn at a time, so turns end in order. */
export function readThreadTurns(db: Queryable, threadId: string): Promise<readonly RecordedTurn[]> {
  return listRows<RecordedTurn>(db)`${TURNS} where t.thread_id = ${threadId} order by t.ended_at,
      t.turn_id`;
}

/** Reads one turn; null for an unknown id. */
export function readTurn(db: Queryable, turnId: string): Promise<RecordedTurn | null> {
  return findRow<RecordedTurn>(db)`${TURNS} where t.turn_id = ${turnId}`;
}

/** Yields the ids of all conversations with turns, sorted; reads them in pages. */
export async function* readThreadsWithTurns(db: Queryable): AsyncGenerator<string, void> {
  let after = '';
  for (;;) {
    const { rows } = await db.query<{ thread_id: string }>(sql`select distinct thread_id from turns
        where thread_id > ${after} order by thread_id limit 500`);
    for (const { thread_id: threadId } of rows) yield threadId;
    const last = rows.at(-1);
    if (!last) return;
    after = last.thread_id;
  }
}
