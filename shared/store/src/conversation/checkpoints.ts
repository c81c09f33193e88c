import type { Lane } from './lane.ts';
import type { Queryable } from '../pool.ts';
import { findValue, listRows, prepareSql, sql, type Sql } from '../sql.ts';

/** A checkpoint as the tables store it; blobs and writes are given as columns, one array per column. */
export interface CheckpointRow {
  readonly threadId: string;
  readonly checkpointId: string;
  readonly parentId: string | null;
  /** The checkpoint without its channel values, as JSON. */
  readonly body: string;
  readonly metadata: string;
  /** One array each of channel, version, type and bytes. */
  readonly blobs: readonly [readonly string[], readonly string[], readonly string[], readonly (Buffer | null)[]];
  /** One array each of task, index, channel, type and bytes. */
  readonly writes: readonly [
    readonly string[],
    readonly number[],
    readonly string[],
    readonly string[],
    readonly Buffer[],
  ];
}

/** Builds the SQL expression that stores a checkpoint if the lane has this epoch; true when stored. */
export function buildCheckpointCall(lane: Lane, { blobs, writes, ...row }: CheckpointRow): Sql {
  return sql`checkpoint_put(${lane.userKey}, ${lane.epoch}, ${row.threadId}, ${row.checkpointId}, ${row.parentId}, ${row.body}::jsonb,
    ${row.metadata}::jsonb, ${blobs[0]}, ${blobs[1]}, ${blobs[2]}, ${blobs[3]},
    ${writes[0]}, ${writes[1]}, ${writes[2]}, ${writes[3]}, ${writes[4]})`;
}

/**
 * Stores a checkpoint on top of the newest one, if the lane has this epoch. False, with nothing written, when the lane was lost or the
 * parent is not the newest. Idempotent.
 */
export function putCheckpoint(db: Queryable, lane: Lane, row: CheckpointRow): Promise<boolean> {
  return findValue(db, false, 'checkpoint_put')`select ${buildCheckpointCall(lane, row)} as stored`;
}

/** Finds the newest checkpoint of a thread or of one of its subgraphs; null when there is none. */
export function findNewestCheckpoint(db: Queryable, threadId: string, space: string): Promise<string | null> {
  return findValue<string | null>(db, null, 'checkpoint_newest')`
    select checkpoint_id from langgraph.checkpoints
      where thread_id = ${threadId} and checkpoint_ns = ${space} order by number desc limit 1`;
}

/** Reads the values of a channel whose versions match a pattern. */
export function readBlobs(db: Queryable, threadId: string, channel: string, versions: string) {
  return listRows<{ version: string; blob: Buffer }>(db, 'checkpoint_blobs')`
    select version, blob from langgraph.checkpoint_blobs
      where thread_id = ${threadId} and checkpoint_ns = '' and channel = ${channel} and version like ${versions}`;
}

/** Deletes all but the newest `keep` checkpoints of a thread, with the rows to which none of the kept ones refers. One statement. */
export async function pruneCheckpoints(db: Queryable, threadId: string, keep: number): Promise<void> {
  await db.query(prepareSql('checkpoint_prune')`select checkpoint_prune(${threadId}, ${keep})`);
}
