import { toCanonicalJson } from '@signalbox/safety/cards/canonical';
import type { Checkpoint } from '@signalbox/safety/audit/checkpoint';
import type { ChainedEvent } from '../../../../infra/audit/verify.mjs';

/** Writes the first line of an export: the id of the history and the installation's public keys in PEM. */
export function formatHeaderLine(logId: string, keys: readonly string[]): string {
  return toCanonicalJson({ type: 'log', logId, keys });
}

/** Writes the line of an event; a deleted event is null. Hashes are hexadecimal. */
export function formatEventLine({ seq, json, leafHash, hash }: ChainedEvent): string {
  // Keys are in canonical order. The event's original text is kept, so that irregularities stay visible.
  return `{"event":${json ?? 'null'},"hash":"${hash.toString('hex')}","leafHash":"${leafHash.toString('hex')}","seq":${seq},"type":"event"}`;
}

/** Writes the line of a checkpoint, which follows its last event. */
export function formatCheckpointLine(checkpoint: Checkpoint): string {
  return toCanonicalJson({ ...checkpoint, type: 'checkpoint' });
}
