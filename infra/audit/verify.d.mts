import type { KeyObject } from 'node:crypto';

/** A position of a history, with the event that is stored there. */
export interface ChainedEvent {
  readonly seq: number;
  /** Canonical JSON of the event, which is hashed; null when the event was deleted and only its position remains. */
  readonly json: string | null;
  readonly leafHash: Buffer;
  readonly hash: Buffer;
}

/** A signed state of a history. `leaves` are the base64 leaf hashes of the events since the previous signed state. */
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

/** An audit history as it is stored. Both sequences are streamed and can be read several times. */
export interface History {
  readonly logId: string;
  /** Returns the events in the order of `seq`. */
  readonly events: () => AsyncIterable<ChainedEvent>;
  /** Returns the signed states that are stored in the database. */
  readonly inside: () => AsyncIterable<SignedState>;
}

/** A history with the public keys and external checkpoints that verify it. */
export interface AuditSources extends History {
  /** Returns the signed states from a storage that database administrators cannot change. */
  readonly outside: () => AsyncIterable<SignedState>;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export interface AuditVerdict {
  readonly ok: boolean;
  /** Number of valid events, counted from the first one. */
  readonly events: number;
  /** Number of valid events that an external checkpoint covers. A change of one of these would be detected. */
  readonly covered: number;
  /** The first invalid event and the kind of change. `detail` is a sentence without its full stop. */
  readonly finding: {
    readonly seq: number;
    readonly problem: 'edited' | 'missing' | 'inserted' | 'swapped' | 'truncated' | 'rolled back' | 'bad signature';
    readonly detail: string;
  } | null;
}

/** Thrown for a line that is not part of an audit export. */
export class UnreadableExport extends Error {
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

/** Verifies an export against checkpoints and public keys. Throws UnreadableExport, or the system's error for an unreadable file. */
export function verifyFiles(exportFile: string, checkpointsFile: string, keyFile: string): Promise<AuditVerdict>;

/** Verifies a history from any source. Memory use does not grow with the number of events. */
export function verifyHistory(sources: AuditSources): Promise<AuditVerdict>;

/** Opens an export as a history. Throws UnreadableExport when the first line is not the header of an export. */
export function openExport(file: string): Promise<History>;
