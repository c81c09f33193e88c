import type { Queryable } from '../pool.ts';
import { hasRow, sql, type Sql } from '../sql.ts';

/** A held lane. `epoch` is the fencing token: every write of the turn carries it. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}

/** Selects a row while this lane is held under this epoch, and locks it for sharing until the transaction ends. */
export function heldLane({ userKey, epoch }: Lane): Sql {
  return sql`select 1 from lanes where user_key = ${userKey} and epoch = ${epoch} and worker is not null for share`;
}

/** Whether this lane is still held under this epoch; locks as `heldLane` does. */
export function isLaneHeld(db: Queryable, lane: Lane): Promise<boolean> {
  return hasRow(db)`${heldLane(lane)}`;
}
