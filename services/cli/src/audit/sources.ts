import type { AuditKeys, Checkpoint, CheckpointLine } from '@signalbox/safety/audit/checkpoint';

/** One place of the order, with what stands there now. */
export interface ChainedEvent {
  readonly seq: number;
  /** The bytes that are hashed, as text; null when the event is gone and only its place is left. */
  readonly json: string | null;
  readonly leafHash: Buffer;
  readonly hash: Buffer;
}

/** Where a history is read from. Each can be read more than once, and is read a part at a time. */
export interface AuditSources {
  readonly logId: string;
  /** In the order of `seq`. */
  readonly events: () => AsyncIterable<ChainedEvent>;
  /** Checkpoints from a place that the people with access to the database cannot change. */
  readonly outside: () => AsyncIterable<CheckpointLine>;
  /** Checkpoints of the database itself. */
  readonly inside: () => AsyncIterable<Checkpoint>;
  readonly keys: AuditKeys;
}
