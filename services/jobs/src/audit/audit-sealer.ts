import type { KeyObject } from 'node:crypto';
import { appendCheckpoints } from '@signalbox/safety/audit/checkpoint-file';
import { signCheckpoint, type AuditKeys, type Checkpoint } from '@signalbox/safety/audit/checkpoint';
import { eventJson } from '@signalbox/safety/audit/event-json';
import { hashLeaf } from '@signalbox/safety/audit/merkle';
import { readUnsealed, sealEvents, storeCheckpoint } from '@signalbox/store/audit/audit-chain';
import type { Connection, Pool } from '@signalbox/store/pool';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { readHistory, readMissingLines, type SealedHistory } from './audit-history.ts';

export interface SealerOptions {
  /** Its own: one connection, which holds the lock of the only sealer for as long as it lives. */
  readonly pool: Pool;
  readonly key: KeyObject;
  readonly keys: AuditKeys;
  /** Where checkpoints are kept outside of the database. */
  readonly file: string;
  /** A checkpoint is due after so many events, and this long after the first event that has none. */
  readonly checkpointEvents: number;
  readonly checkpointMs: number;
  readonly log: Log;
  /** Told of each checkpoint, and how many events were sealed. */
  readonly onSealed?: (events: number) => void;
  readonly onCheckpoint?: (checkpoint: Checkpoint) => Promise<void>;
}

export interface Sealer extends Closable {
  /**
   * One round: does what is due if this is the only sealer, up to a bound. `busy` when more is waiting, `away` when another
   * process seals. Throws AUDIT_HISTORY_DIFFERS when the database is not what was signed: then nothing is sealed or signed,
   * because that would make another history look right.
   */
  step(): Promise<'idle' | 'busy' | 'away'>;
}

const BATCH = 1_000;
/** Bounds a round, so that a service that is told to stop need not wait for a backlog. */
const BATCHES_PER_STEP = 20;

/**
 * Gives recorded events their order. Modes:
 *   away       no connection, or another holds the lock → each step tries to get it
 *   following  has the lock: reads what was sealed by others since, and compares it with the checkpoints
 *   sealing    waiting events get their places, checkpoints are signed, stored and copied into the file
 * A step may end anywhere, with the process or the connection: each part is one transaction or an append to the file, and the next
 * step, here or elsewhere, finds out what is still to do. Whatever fails leads to `away`.
 */
export function createSealer(options: SealerOptions): Sealer {
  const { pool, log } = options;
  let client: Connection | null = null;
  let known: SealedHistory | null = null;
  /** When the first event without a checkpoint was seen. */
  let unsignedSince: number | null = null;

  const leave = (error?: Error): void => {
    client?.release(error ?? true); // ends the connection, and with it the lock
    client = null;
    known = null;
  };

  const enter = async (): Promise<boolean> => {
    if (client) return true;
    const opened = await pool.connect();
    try {
      const { rows } = await opened.query<{ ours: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('signalbox audit sealer', 0)) as ours`,
      );
      if (rows[0]?.ours) client = opened;
      else opened.release();
    } catch (error) {
      opened.release(true);
      throw error;
    }
    return client !== null;
  };

  const sealBatch = async (db: Connection, history: SealedHistory): Promise<number> => {
    const events = await readUnsealed(db, BATCH);
    if (events.length === 0) return 0;
    const leaves = events.map((event) => ({ eventId: event.eventId, leafHash: hashLeaf(eventJson(event)) }));
    const hash = await sealEvents(db, history.tree.size + 1, leaves);
    if (hash === null) throw new Error('somebody else seals although the lock is ours');
    for (const { leafHash } of leaves) history.tree.push(leafHash);
    history.chain = hash;
    options.onSealed?.(events.length);
    return events.length;
  };

  const signIfDue = async (db: Connection, history: SealedHistory): Promise<void> => {
    const unsigned = history.tree.size - history.signed;
    if (unsigned === 0) unsignedSince = null;
    else unsignedSince ??= Date.now();
    const isOld = unsignedSince !== null && Date.now() - unsignedSince >= options.checkpointMs;
    if (unsigned === 0 || (unsigned < options.checkpointEvents && !isOld)) return;
    const checkpoint = signCheckpoint(
      {
        logId: history.logId,
        size: history.tree.size,
        rootHash: history.tree.root().toString('hex'),
        chainHash: history.chain.toString('hex'),
        at: new Date().toISOString(),
      },
      options.key,
    );
    await storeCheckpoint(db, checkpoint);
    history.signed = checkpoint.size;
    unsignedSince = null;
    await options.onCheckpoint?.(checkpoint);
  };

  const file = async (db: Connection, history: SealedHistory): Promise<void> => {
    if (history.filed >= history.signed) return;
    for await (const line of readMissingLines(db, history)) {
      await appendCheckpoints(options.file, [line]);
      history.filed = line.size;
    }
  };

  const work = async (db: Connection): Promise<'idle' | 'busy'> => {
    if (!known) {
      known = await readHistory(db, options);
      log.info('audit events are sealed by this process', { sealed: known.tree.size, signed: known.signed });
    }
    await file(db, known); // what an earlier sealer left undone
    for (let batch = 0; batch < BATCHES_PER_STEP; batch++) {
      const sealed = await sealBatch(db, known);
      await signIfDue(db, known);
      await file(db, known);
      if (sealed < BATCH) return 'idle';
    }
    return 'busy';
  };

  return {
    step: async () => {
      if (!(await enter()) || !client) return 'away';
      try {
        return await work(client);
      } catch (error) {
        // What is known may be half of what was done: it is read again from the database.
        leave(error instanceof Error ? error : undefined);
        throw error;
      }
    },
    close: async () => {
      leave();
      await pool.end();
    },
  };
}
