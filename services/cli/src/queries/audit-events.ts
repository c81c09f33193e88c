import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import type { Queryable } from '@signalbox/store/pool';

/** Which events to show; undefined: all. */
export interface AuditFilter {
  readonly sinceMs: number | null;
  readonly threadId: string | undefined;
  readonly actionId: string | undefined;
  /** A kind, or its beginning up to the point: `approval` finds all of `approval.*`. */
  readonly kind: string | undefined;
  /** Who caused it, or whose action it was. */
  readonly userKey: string | undefined;
  readonly limit: number;
}

/** An event as an operator reads it. `seq` is null until it has its place. */
export interface ShownAuditEvent extends Omit<RecordedAuditEvent, 'eventId' | 'recordedAt' | 'dataJson'> {
  readonly seq: number | null;
  readonly recordedAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The newest events that a filter finds, newest last. */
export async function findAuditEvents(db: Queryable, filter: AuditFilter): Promise<readonly ShownAuditEvent[]> {
  const { rows } = await db.query<Omit<ShownAuditEvent, 'seq'> & { seq: string | null }>(
    `select c.seq, e.recorded_at as "recordedAt", e.kind, e.actor, e.thread_id as "threadId", e.turn_id as "turnId",
       e.action_id as "actionId", e.approval_id as "approvalId", e.policy_version as "policyVersion", e.data
       from audit_events e left join audit_chain c using (event_id)
      where ($1::float8 is null or e.recorded_at > now() - $1 * interval '1 ms')
        and ($2::text is null or e.thread_id = $2)
        and ($3::text is null or e.action_id = $3)
        and ($4::text is null or e.kind = $4 or starts_with(e.kind, $4 || '.'))
        and ($5::text is null or e.actor = $5 or e.data ->> 'userKey' = $5 or e.data #>> '{requester,userKey}' = $5)
      order by e.event_id desc limit $6`,
    [filter.sinceMs, filter.threadId, filter.actionId, filter.kind, filter.userKey, filter.limit],
  );
  return rows.map((row) => ({ ...row, seq: row.seq === null ? null : Number(row.seq) })).reverse();
}
