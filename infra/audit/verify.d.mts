import type { KeyObject } from 'node:crypto';

/** One place of the order, with what stands there now. */
export interface ChainedEvent {
  readonly seq: number;
  /** The bytes that are hashed, as text; null when the event is gone and only its place is left. */
  readonly json: string | null;
  readonly leafHash: Buffer;
  readonly hash: Buffer;
}

/** What was signed about a history; `leaves` are the leaf hashes of the events since the checkpoint before, in base64. */
export interface SignedState {
  readonly logId: string;
  readonly size: number;
  readonly rootHash: string;
  readonly chainHash: string;
  readonly at: string;
  readonly keyId: string;
  readonly signature: string;
  readonly leaves?: string;
}

/** What a history says of itself. Each can be read more than once, and is read a part at a time. */
export interface History {
  readonly logId: string;
  /** In the order of `seq`. */
  readonly events: () => AsyncIterable<ChainedEvent>;
  /** Checkpoints of the database itself. */
  readonly inside: () => AsyncIterable<SignedState>;
}

/** A history with what it is compared with. */
export interface AuditSources extends History {
  /** Checkpoints from a place that the people with access to the database cannot change. */
  readonly outside: () => AsyncIterable<SignedState>;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export interface AuditVerdict {
  readonly ok: boolean;
  /** Events that were found to be in order, from the first on. */
  readonly events: number;
  /** How many of them a checkpoint from outside covers: a change of these would be seen. */
  readonly covered: number;
  /** What happened at the first event that is not as it was. `detail` is for people, without a full stop. */
  readonly finding: {
    readonly seq: number;
    readonly problem: 'edited' | 'missing' | 'inserted' | 'swapped' | 'truncated' | 'rolled back' | 'bad signature';
    readonly detail: string;
  } | null;
}

/** A line that is not one of an audit. */
export class Unreadable extends Error {
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

/** Verifies an export against checkpoints and public keys. Throws Unreadable, and when a file cannot be read. */
export function verifyFiles(exportFile: string, checkpointsFile: string, keyFile: string): Promise<AuditVerdict>;

/** Verifies a history from anywhere. Memory does not grow with the number of events. */
export function verifyHistory(sources: AuditSources): Promise<AuditVerdict>;

/** An export as a history. Throws Unreadable when it does not begin as one. */
export function openExport(file: string): Promise<History>;
