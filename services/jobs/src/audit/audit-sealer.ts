import type { KeyObject } from 'node:crypto';
import { appendCheckpoints } from '@signalbox/safety/audit/checkpoint-file';
import { signCheckpoint, type AuditKeys, type Checkpoint } from '@signalbox/safety/audit/checkpoint';
import { toEventJson } from '@signalbox/safety/audit/event-json';
import { hashLeaf } from '@signalbox/safety/audit/merkle';
import { readUnsealed, sealEvents, storeCheckpoint } from '@signalbox/store/audit/audit-chain';
import type { Connection, Pool } from '@signalbox/store/pool';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { readHistory, readMissingLines, type SealerState } from './audit-history.ts';

export interface SealerOptions {
  /** A pool of one connection, which holds the sealer's lock. */
  readonly pool: Pool;
  readonly key: KeyObject;
  readonly keys: AuditKeys;
  readonly file: string;
  /** A checkpoint is due after this many events; `checkpointMs` bounds the time since the first event without a checkpoint. */
  readonly checkpointEvents: number;
  readonly checkpointMs: number;
  readonly log: Log;
  /** Called with the number of sealed events, and for each checkpoint. */
  readonly onSealed?: (events: number) => void;
  readonly onCheckpoint?: (checkpoint: Checkpoint) => Promise<void>;
}

const BATCH = 1_000;
/** Maximum batches per step, so that a stopping service does not wait for many unsealed events. */
const BATCHES_PER_STEP = 20;

/**
 * Gives recorded events their order. Modes:
 *   away       without a connection, or while another process holds the lock: each step tries to get the lock
 *   following  with the lock: reads the events that others sealed, and compares them with the checkpoints
 *   sealing    gives waiting events their places; signs checkpoints, stores them and appends them to the file
 * A step may be interrupted: each part is one transaction or one append, and the next step continues. Failures lead to `away`.
 */
export class Sealer implements Closable {
  readonly #options: SealerOptions;
  /** The connection that holds the lock. */
  #client: Connection | null = null;
  #history: SealerState | null = null;
  /** The time of the first event without a checkpoint. */
  #unsignedSince: number | null = null;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Seals and signs some events. `away` when another process seals. Throws AUDIT_HISTORY_DIFFERS, and then seals nothing. */
  async step(): Promise<'idle' | 'busy' | 'away'> {
    const client = await this.#lock();
    if (!client) return 'away';
    try {
      return await this.#work(client);
    } catch (error) {
      // A failed step may have stored half of its work, so the next step reads the history again.
      this.#unlock(error instanceof Error ? error : undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#unlock();
    await this.#options.pool.end();
  }

  async #lock(): Promise<Connection | null> {
    if (this.#client) return this.#client;
    const opened = await this.#options.pool.connect();
    try {
      const { rows } = await opened.query<{ ours: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('signalbox audit sealer', 0)) as ours`,
      );
      if (rows[0]?.ours) this.#client = opened;
      else opened.release();
    } catch (error) {
      opened.release(true);
      throw error;
    }
    return this.#client;
  }

  #unlock(error?: Error): void {
    this.#client?.release(error ?? true); // Ending the connection also releases the lock.
    this.#client = null;
    this.#history = null;
  }

  async #work(db: Connection): Promise<'idle' | 'busy'> {
    if (!this.#history) {
      this.#history = await readHistory(db, this.#options);
      const { tree, signed } = this.#history;
      this.#options.log.info('audit events are sealed by this process', { sealed: tree.size, signed });
    }
    const history = this.#history;
    await this.#file(db, history); // An earlier sealer may have left checkpoints out of the file.
    for (let batch = 0; batch < BATCHES_PER_STEP; batch++) {
      const sealed = await this.#sealBatch(db, history);
      await this.#signIfDue(db, history);
      await this.#file(db, history);
      if (sealed < BATCH) return 'idle';
    }
    return 'busy';
  }

  async #sealBatch(db: Connection, history: SealerState): Promise<number> {
    const events = await readUnsealed(db, BATCH);
    if (events.length === 0) return 0;
    const leaves = events.map((event) => ({ eventId: event.eventId, leafHash: hashLeaf(toEventJson(event)) }));
    const hash = await sealEvents(db, history.tree.size + 1, leaves);
    if (hash === null) throw new Error('another process seals although this one has the lock');
    for (const { leafHash } of leaves) history.tree.push(leafHash);
    history.chain = hash;
    this.#options.onSealed?.(events.length);
    return events.length;
  }

  async #signIfDue(db: Connection, history: SealerState): Promise<void> {
    const { checkpointEvents, checkpointMs, key, onCheckpoint } = this.#options;
    const unsigned = history.tree.size - history.signed;
    if (unsigned === 0) this.#unsignedSince = null;
    else this.#unsignedSince ??= performance.now();
    const isOld = this.#unsignedSince !== null && performance.now() - this.#unsignedSince >= checkpointMs;
    if (unsigned === 0 || (unsigned < checkpointEvents && !isOld)) return;
    const state = {
      logId: history.logId,
      size: history.tree.size,
      rootHash: history.tree.root().toString('hex'),
      chainHash: history.chain.toString('hex'),
      at: new Date().toISOString(),
    };
    const checkpoint = signCheckpoint(state, key);
    await storeCheckpoint(db, checkpoint);
    history.signed = checkpoint.size;
    this.#unsignedSince = null;
    await onCheckpoint?.(checkpoint);
  }

  async #file(db: Connection, history: SealerState): Promise<void> {
    if (history.filed >= history.signed) return;
    for await (const line of readMissingLines(db, history)) {
      await appendCheckpoints(this.#options.file, [line]);
      history.filed = line.size;
    }
  }
}
