import type { Queryable } from '../pool.ts';

/** A held lane. `epoch` is the fencing token: every write of the turn carries it. */
export interface Lane {
  readonly userKey: string;
  readonly epoch: string;
}

/** Whether this lane is still held under this epoch. The row stays locked for sharing until the transaction ends. */
export async function isLaneHeld(db: Queryable, lane: Lane): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from lanes where user_key = $1 and epoch = $2 and worker is not null for share',
    [lane.userKey, lane.epoch],
  );
  return rowCount === 1;
}
