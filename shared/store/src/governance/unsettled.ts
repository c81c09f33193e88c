import type { Proposal } from './approvals.ts';
import type { Queryable } from '../pool.ts';
import { findRow, sql } from '../sql.ts';

/** A started action whose outcome is unknown. */
export interface UnsettledAction {
  readonly actionId: string;
  readonly status: 'started' | 'unknown';
  readonly tool: string;
  readonly proposal: Proposal;
  readonly turnId: string;
  readonly turnKey: string | null;
  /** Number of look-ups, including the current one. */
  readonly probes: number;
  readonly userName: string;
  readonly language: string | null;
}

/** Maximum age of an action that is looked up: nobody waits for older actions, and their traces may be gone. */
const LOOKED_UP_FOR = '7 days';

/**
 * Leases the next action whose outcome is unknown; null when there is none. Leaves out actions whose message is still open, because the
 * turn settles them.
 */
export function claimUnsettled(db: Queryable, leaseMs: number): Promise<UnsettledAction | null> {
  return findRow<UnsettledAction>(db)`
    update actions a set probe_at = clock_timestamp() + ${leaseMs} * interval '1 ms', probes = probes + 1
      where a.action_id = (
        select x.action_id from actions x
         where x.status in ('started', 'unknown') and x.probe_at <= clock_timestamp() and x.proposal is not null
           and x.started_at > clock_timestamp() - ${LOOKED_UP_FOR}::interval
           and not exists (
             select 1 from inbox i where i.user_key = x.user_key and i.outcome is null
                and (x.turn_key is null or i.envelope ->> 'id' = x.turn_key or i.envelope ->> 'actionId' = x.action_id))
         order by x.probe_at limit 1 for update skip locked)
      returning a.action_id as "actionId", a.status, a.tool, a.proposal, a.turn_id as "turnId", a.turn_key as "turnKey", a.probes,
        coalesce((select u.name from users u where u.user_key = a.user_key), a.user_key) as "userName",
        user_language(a.user_key) as language`;
}

/** Schedules the next look-up of an action; null when there will be none. */
export async function postponeProbe(db: Queryable, actionId: string, afterMs: number | null): Promise<void> {
  await db.query(sql`update actions set probe_at = coalesce(clock_timestamp() + ${afterMs}::float8 * interval '1 ms',
      'infinity') where action_id = ${actionId}`);
}

/**
 * Locks an action before a look-up of its outcome: until the transaction ends, nobody can write for the action, and earlier writes are
 * visible. Null for an unknown id.
 */
export function lockAction(db: Queryable, actionId: string) {
  return findRow<{ status: string; result: unknown }>(db)`select status, result from actions
      where action_id = ${actionId} for update`;
}
