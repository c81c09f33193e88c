import type { Queryable } from '../pool.ts';
import { hasRow } from '../sql.ts';

/** A held lane. `epoch` is the fencing token: every write of the turn carries it. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}

/** Whether this lane is still held under this epoch. The row stays locked for sharing until the transaction ends. */
export async function isLaneHeld(db: Queryable, lane: Lane): Promise<boolean> {
  return hasRow(db)`select 1 from lanes where user_key = ${lane.userKey}
      and epoch = ${lane.epoch} and worker is not null for share`;
}
