import type { RecordedAuditEvent } from '@signalbox/contracts/governance/audit';
import type { Queryable } from '@signalbox/store/pool';
import { listRows } from '@signalbox/store/sql';

/** Filters of audit events; undefined means any. */
export interface AuditFilter {
  readonly sinceMs: number | null;
  readonly threadId: string | undefined;
  readonly actionId: string | undefined;
  /** An event kind or its prefix: `approval` finds every `approval.*`. */
  readonly kind: string | undefined;
  /** The actor, or the person whose action the event concerns. */
  readonly userKey: string | undefined;
  readonly limit: number;
}

/** An audit event for operators. `seq` is null until it is sealed. */
export interface ShownAuditEvent extends Omit<RecordedAuditEvent, 'eventId' | 'recordedAt' | 'dataJson'> {
  readonly seq: number | null;
  readonly recordedAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Finds the newest matching events, newest last. */
export async function findAuditEvents(db: Queryable, filter: AuditFilter): Promise<readonly ShownAuditEvent[]> {
  const { sinceMs, threadId, actionId, kind, userKey, limit } = filter;
  const events = await listRows<ShownAuditEvent>(db)`
    select c.seq::float8, e.recorded_at as "recordedAt", e.kind, e.actor, e.thread_id as "threadId", e.turn_id as "turnId",
       e.action_id as "actionId", e.approval_id as "approvalId", e.policy_version as "policyVersion", e.written_by as "writtenBy",
       e.data
       from audit_events e left join audit_chain c using (event_id)
      where (${sinceMs}::float8 is null or e.recorded_at > now() - ${sinceMs} * interval '1 ms')
        and (${threadId}::text is null or e.thread_id = ${threadId})
        and (${actionId}::text is null or e.action_id = ${actionId})
        and (${kind}::text is null or e.kind = ${kind} or starts_with(e.kind, ${kind} || '.'))
        and (${userKey}::text is null or ${userKey} in (e.actor, e.data ->> 'userKey', e.data #>> '{requester,userKey}'))
      order by e.event_id desc limit ${limit}`;
  return events.toReversed();
}
