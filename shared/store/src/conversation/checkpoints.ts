import type { Lane } from './lane.ts';
import type { Queryable } from '../pool.ts';
import { named } from '../sql.ts';

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

/** The call of checkpoint_put, whose sixteen parameters begin at number `first` of a statement. */
export function checkpointPut(first: number): string {
  const places = Array.from({ length: 16 }, (_, at) => `$${first + at}${at === 5 || at === 6 ? '::jsonb' : ''}`);
  return `checkpoint_put(${places.join(', ')})`;
}

/** The sixteen parameters of checkpoint_put. */
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

/**
 * Stores a checkpoint under the lane's epoch, where its parent is the newest one. False when the lane was lost or the thread has gone on,
 * and then nothing was written. Twice is safe.
 */
export async function putCheckpoint(db: Queryable, lane: Lane, row: CheckpointRow): Promise<boolean> {
  const { rows } = await db.query<{ stored: boolean }>({
    name: 'checkpoint_put',
    text: `select ${checkpointPut(1)} as stored`,
    values: [...checkpointValues(lane, row)],
  });
  return rows[0]?.stored ?? false;
}

/** The values of a channel whose versions are like this pattern. */
export async function readBlobs(
  db: Queryable,
  threadId: string,
  channel: string,
  versions: string,
): Promise<readonly { readonly version: string; readonly blob: Buffer }[]> {
  const { rows } = await db.query<{ version: string; blob: Buffer }>(named(
    'checkpoint_blobs',
  )`select version, blob from langgraph.checkpoint_blobs
            where thread_id = ${threadId} and checkpoint_ns = '' and channel = ${channel} and version like ${versions}`);
  return rows;
}

/** Deletes all but the newest `keep` checkpoints of a thread, with the rows that none of those refers to. One statement. */
export async function pruneCheckpoints(db: Queryable, threadId: string, keep: number): Promise<void> {
  await db.query(named('checkpoint_prune')`select checkpoint_prune(${threadId}, ${keep})`);
}
