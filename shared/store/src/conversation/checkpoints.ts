import type { Lane } from './lane.ts';
import type { Queryable } from '../pool.ts';

/** A checkpoint as the tables hold it; blobs and writes are columns, one array per column. */
export interface CheckpointRow {
  readonly threadId: string;
  readonly checkpointId: string;
  readonly parentId: string | null;
  /** The checkpoint without its channel values, as JSON. */
  readonly body: string;
  readonly metadata: string;
  /** Channel, version, type, bytes. */
  readonly blobs: readonly [readonly string[], readonly string[], readonly string[], readonly (Buffer | null)[]];
  /** Task, index, channel, type, bytes. */
  readonly writes: readonly [
    readonly string[],
    readonly number[],
    readonly string[],
    readonly string[],
    readonly Buffer[],
  ];
}

/** The call of checkpoint_put with its first parameter at `$1`. */
export const CHECKPOINT_PUT =
  'checkpoint_put($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9, $10, $11, $12, $13, $14, $15, $16)';

/** The sixteen parameters of CHECKPOINT_PUT. */
export function checkpointValues(lane: Lane, row: CheckpointRow): readonly unknown[] {
  return [
    lane.userKey,
    lane.epoch,
    row.threadId,
    row.checkpointId,
    row.parentId,
    row.body,
    row.metadata,
    ...row.blobs,
    ...row.writes,
  ];
}

/** Stores a checkpoint under the lane's epoch. False when the lane was lost, and then nothing was written. Twice is safe. */
export async function putCheckpoint(db: Queryable, lane: Lane, row: CheckpointRow): Promise<boolean> {
  const { rows } = await db.query<{ stored: boolean }>({
    name: 'checkpoint_put',
    text: `select ${CHECKPOINT_PUT} as stored`,
    values: [...checkpointValues(lane, row)],
  });
  return rows[0]?.stored ?? false;
}
