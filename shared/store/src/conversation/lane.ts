import type { Queryable } from '../pool.ts';
import { hasRow, sql, type Sql } from '../sql.ts';

/** A lane that a worker holds. Every write of the turn carries its `epoch`, and the database refuses writes with an older epoch. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}

/** Builds SQL that finds the lane while it has this epoch, and locks the row for sharing until the transaction ends. */
export const selectHeldLane = (lane: Lane): Sql =>
  sql`select 1 from lanes where user_key = ${lane.userKey} and epoch = ${lane.epoch} and worker is not null for share`;

/** True while the lane has this epoch. The row stays locked for sharing until the transaction ends. */
export function isLaneHeld(db: Queryable, lane: Lane): Promise<boolean> {
  return hasRow(db)`${selectHeldLane(lane)}`;
}

/** SQL condition on the table alias `l` of lanes: no process holds the lane, or its lease is over. */
export const IS_LANE_FREE = sql`(l.worker is null or lease_is_over(l.lease_until, l.holder))`;
