import type { Queryable } from '../pool.ts';
import { hasRow, sql, type Sql } from '../sql.ts';

/** A held lane. `epoch` is the fencing token: every write of the turn carries it. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}

/** SQL that finds the lane held under this epoch, and locks it for sharing until the transaction ends. */
export const selectHeldLane = (lane: Lane): Sql =>
  sql`select 1 from lanes where user_key = ${lane.userKey} and epoch = ${lane.epoch} and worker is not null for share`;

/** True while the lane is held under this epoch. The row stays locked for sharing until the transaction ends. */
export function isLaneHeld(db: Queryable, lane: Lane): Promise<boolean> {
  return hasRow(db)`${selectHeldLane(lane)}`;
}

/** SQL that is true of a row `l` of lanes when no process holds it, or its lease has run out. */
export const IS_LANE_FREE = sql`(l.worker is null or l.lease_until < clock_timestamp())`;
