import type { RunnableConfig } from '@langchain/core/runnables';
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { WRITES_IDX_MAP, type CheckpointListOptions } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { AppError } from '@signalbox/contracts/errors';
import {
  findNewestCheckpoint,
  pruneCheckpoints,
  putCheckpoint,
  readBlobs,
  type CheckpointRow,
} from '@signalbox/store/conversation/checkpoints';
import type { Lane } from '@signalbox/store/conversation/lane';
import type { Pool } from '@signalbox/store/pool';
import { CHECKPOINT_SCHEMA } from './set-up.ts';
import { addBlob, isIncrementalFormat, ThreadRows, type BlobColumns } from './thread-rows.ts';

/** The number of threads whose newest state is cached between turns: tens of kilobytes each. */
const WARM_THREADS = 500;
/** The number of ended turns that are remembered; LangGraph lets go of a stopped run within moments. */
const ENDED_TURNS = 1_000;
/** The number of checkpoints kept per thread, and of new checkpoints between two prunings. */
const KEPT = 50;

/** `incremental`: each message is written once. `stock`: all changed values, as LangGraph's own saver does. Both are read. */
export type CheckpointFormat = 'incremental' | 'stock';

interface OpenThread {
  readonly lane: Lane;
  /** The turn; null when nothing runs a graph in it. */
  readonly turnId: string | null;
  /** True while nothing is stored for the thread, so that reads can be skipped. */
  empty: boolean;
  head: {
    readonly config: RunnableConfig;
    readonly checkpoint: Checkpoint;
    readonly metadata: CheckpointMetadata;
  } | null;
  /** Channel versions that changed since the last flush. */
  versions: ChannelVersions;
  writes: Map<string, { readonly taskId: string; readonly writes: PendingWrite[] }[]>;
  /** The newest checkpoint in Postgres, the parent of the next one. */
  stored: CheckpointTuple | undefined;
  /** True when `stored` was written incrementally, so that LangGraph's own saver lacks its values. */
  isIncremental: boolean;
  rows: ThreadRows;
  /** The number of flushes since the last pruning. */
  flushes: number;
}

/** The stored state at the end of the last turn on a thread. */
interface WarmThread extends Pick<OpenThread, 'isIncremental' | 'rows' | 'flushes'> {
  readonly epoch: bigint;
  readonly tuple: CheckpointTuple;
}

/**
 * Stores checkpoints in the tables of LangGraph's Postgres saver (row format: thread-rows.ts). While a turn holds a thread (`open` …
 * `close`), checkpoints stay in memory. `flush` writes the newest one in one statement, which writes nothing unless the lane still has
 * the turn's epoch. The runtime flushes before every effect, and stores the last checkpoint in the transaction that ends the turn. A
 * crash therefore loses only thinking, which is repeated; every effect is preceded by its checkpoint. Steps between two flushes are not
 * stored one by one: with LangGraph's own saver a turn costs 53 statements in 11 transactions. Threads that are not open are written
 * through, as that saver does, except by the runs of turns that ended: LangGraph goes on for a moment after an abort. A turn whose epoch
 * follows the epoch of our own last turn needs no read: only the lane's holder writes checkpoints, and nobody held the lane in between.
 */
export class Checkpoints extends PostgresSaver {
  readonly #pool: Pool;
  readonly #open = new Map<string, OpenThread>();
  /** Turns that ended lately, the first of them first. */
  readonly #ended = new Set<string>();
  /** Recently used threads, the least recently used first. */
  readonly #warm = new Map<string, WarmThread>();

  readonly #form: CheckpointFormat;

  constructor(pool: Pool, form: CheckpointFormat = 'incremental') {
    super(pool, undefined, { schema: CHECKPOINT_SCHEMA });
    this.#pool = pool;
    this.#form = form;
  }

  /** Starts a turn on a thread. `empty`: the thread is new, so nothing is stored. Its runs name the turn in their config. */
  open(threadId: string, lane: Lane, empty: boolean, turnId: string | null = null): void {
    const known = this.#warm.get(threadId);
    this.#warm.delete(threadId);
    const warm = known && known.epoch + 1n === BigInt(lane.epoch) ? known : undefined;
    this.#open.set(threadId, {
      lane,
      turnId,
      empty,
      head: null,
      versions: {},
      writes: new Map(),
      stored: warm?.tuple,
      isIncremental: warm?.isIncremental ?? false,
      rows: warm?.rows ?? new ThreadRows(this.serde),
      flushes: warm?.flushes ?? 0,
    });
  }

  /** Ends a turn on a thread and drops unflushed state. `keep`: the turn was committed, so its state may be cached. */
  close(threadId: string, keep: boolean): void {
    const thread = this.#open.get(threadId);
    this.#open.delete(threadId);
    if (thread?.turnId) this.#endTurn(thread.turnId);
    if (!keep || !thread?.stored || thread.head) return;
    const { lane, stored: tuple, isIncremental, rows, flushes } = thread;
    const isLong = flushes >= KEPT;
    // Pruning runs in the background; when it fails, the next pruning catches up.
    if (isLong) pruneCheckpoints(this.#pool, threadId, KEPT).catch(() => undefined);
    this.#warm.set(threadId, {
      epoch: BigInt(lane.epoch),
      tuple,
      isIncremental,
      rows,
      flushes: isLong ? 0 : flushes,
    });
    const [oldest] = this.#warm.keys();
    if (this.#warm.size > WARM_THREADS && oldest !== undefined) this.#warm.delete(oldest);
  }

  #endTurn(turnId: string): void {
    this.#ended.add(turnId);
    const [first] = this.#ended;
    if (this.#ended.size > ENDED_TURNS && first !== undefined) this.#ended.delete(first);
  }

  /** Stores the thread's newest state in Postgres. Throws LANE_LOST when another worker holds the lane. */
  async flush(threadId: string): Promise<void> {
    const thread = this.#open.get(threadId);
    const row = await this.pending(threadId);
    if (!thread || !row) return;
    if (!(await putCheckpoint(this.#pool, thread.lane, row)))
      throw new AppError('LANE_LOST', { userKey: thread.lane.userKey });
    this.stored(threadId);
  }

  /** Returns the row that `flush` would write, for the caller's own transaction. `emptied`: channels whose lists are stored empty. */
  async pending(threadId: string, emptied: readonly string[] = []): Promise<CheckpointRow | null> {
    const thread = this.#open.get(threadId);
    if (!thread?.head) return null;
    const { config, checkpoint, metadata } = thread.head;
    const before = thread.empty ? undefined : config.configurable?.['checkpoint_id'];
    const { body, blobs } =
      this.#form === 'incremental'
        ? await thread.rows.encode(checkpoint, thread.versions, emptied)
        : await this.#encodeStock(thread, checkpoint);
    return {
      threadId,
      checkpointId: checkpoint.id,
      parentId: thread.stored?.checkpoint.id ?? before ?? null,
      body,
      // jsonb cannot hold a NUL.
      metadata: JSON.stringify(metadata).replaceAll('\\u0000', ''),
      blobs,
      writes: await this.#encodeWrites(thread.writes.get(checkpoint.id) ?? []),
    };
  }

  stored(threadId: string): void {
    const thread = this.#open.get(threadId);
    if (!thread?.head) return;
    const { checkpoint, metadata } = thread.head;
    thread.stored = { config: configOf(threadId, checkpoint), checkpoint, metadata, pendingWrites: [] };
    thread.isIncremental = this.#form === 'incremental';
    thread.rows.stored();
    thread.flushes += 1;
    thread.empty = false;
    thread.head = null;
    thread.versions = {};
    thread.writes.clear();
  }

  /** The newest values of an open thread, flushed or not. */
  newest(threadId: string): Readonly<Record<string, unknown>> {
    const thread = this.#open.get(threadId);
    return (thread?.head ?? thread?.stored)?.checkpoint.channel_values ?? {};
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, space, checkpointId } = placeOf(config);
    const thread = this.#open.get(threadId);
    if (thread?.head) await this.flush(threadId);
    if (thread?.empty) return undefined;
    if (thread?.stored && !checkpointId) return copyOf(thread.stored);
    // LangGraph's own reader takes the highest id for the newest, but ids begin with a machine's clock.
    const id = checkpointId || (await findNewestCheckpoint(this.#pool, threadId, space));
    if (!id) return undefined;
    const { configurable } = config;
    const found = await super.getTuple({ ...config, configurable: { ...configurable, checkpoint_id: id } });
    if (!found) return undefined;
    if (!thread || checkpointId || space !== '') return this.#decode(found, new ThreadRows(this.serde));
    thread.isIncremental = isIncrementalFormat(found.checkpoint);
    thread.stored = await this.#decode(found, thread.rows);
    return copyOf(thread.stored);
  }

  override async *list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    for await (const found of super.list(config, options)) yield this.#decode(found, new ThreadRows(this.serde));
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    versions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, space, turnId } = placeOf(config);
    if (this.#ended.has(turnId)) return configOf(threadId, checkpoint);
    const thread = this.#open.get(threadId);
    // Subgraphs have their own namespaces. They are rare, so their checkpoints are written through.
    if (!thread || space !== '') return super.put(config, checkpoint, metadata, versions);
    // LangGraph copies a checkpoint before changing it, so keeping the reference is safe.
    thread.head = { config: thread.head?.config ?? config, checkpoint, metadata };
    Object.assign(thread.versions, versions);
    for (const id of thread.writes.keys()) if (id !== checkpoint.id) thread.writes.delete(id);
    return configOf(threadId, checkpoint);
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { threadId, space, checkpointId, turnId } = placeOf(config);
    if (this.#ended.has(turnId)) return;
    const thread = this.#open.get(threadId);
    if (!thread || space !== '') return super.putWrites(config, writes, taskId);
    const list = thread.writes.get(checkpointId) ?? [];
    list.push({ taskId, writes });
    thread.writes.set(checkpointId, list);
  }

  #decode(tuple: CheckpointTuple, rows: ThreadRows): Promise<CheckpointTuple> {
    const { threadId } = placeOf(tuple.config);
    return rows.decode(tuple, (channel, versions) => readBlobs(this.#pool, threadId, channel, versions));
  }

  /** Encodes as LangGraph's own saver does: a row for each changed value, or for all values when earlier rows are missing. */
  async #encodeStock({ versions, isIncremental }: OpenThread, checkpoint: Checkpoint) {
    const { channel_values: _, ...body } = checkpoint;
    const changed = isIncremental ? checkpoint.channel_versions : versions;
    const blobs: BlobColumns = [[], [], [], []];
    for (const [channel, version] of Object.entries(changed)) {
      const isThere = channel in checkpoint.channel_values;
      const [type, bytes] = isThere
        ? await this.serde.dumpsTyped(checkpoint.channel_values[channel])
        : (['empty', null] as const);
      addBlob(blobs, channel, String(version), type, bytes);
    }
    return { body: JSON.stringify(body), blobs };
  }

  async #encodeWrites(
    tasks: readonly { readonly taskId: string; readonly writes: PendingWrite[] }[],
  ): Promise<readonly [string[], number[], string[], string[], Buffer[]]> {
    const columns: [string[], number[], string[], string[], Buffer[]] = [[], [], [], [], []];
    for (const task of tasks) {
      for (const [index, [channel, value]] of task.writes.entries()) {
        const [type, bytes] = await this.serde.dumpsTyped(value);
        columns[0].push(task.taskId);
        columns[1].push(WRITES_IDX_MAP[channel] ?? index);
        columns[2].push(channel);
        columns[3].push(type);
        columns[4].push(Buffer.from(bytes));
      }
    }
    return columns;
  }
}

/** By LangGraph's contract the ids are strings, and every config names a thread. */
function placeOf({ configurable = {} }: RunnableConfig) {
  const { thread_id: threadId, checkpoint_ns: space, checkpoint_id: checkpointId, turn_id: turnId } = configurable;
  const text = (id: unknown): string => String(id ?? '');
  return { threadId: text(threadId), space: text(space), checkpointId: text(checkpointId), turnId: text(turnId) };
}

function configOf(threadId: string, checkpoint: Checkpoint): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: '', checkpoint_id: checkpoint.id } };
}

/** Copies only the objects and lists of a checkpoint: LangGraph never changes a value in place. */
function copyOf(tuple: CheckpointTuple): CheckpointTuple {
  const { checkpoint } = tuple;
  return {
    ...tuple,
    checkpoint: {
      ...checkpoint,
      channel_values: { ...checkpoint.channel_values },
      channel_versions: { ...checkpoint.channel_versions },
      versions_seen: structuredClone(checkpoint.versions_seen),
    },
  };
}
