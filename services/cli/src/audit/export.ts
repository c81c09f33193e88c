import { canonicalJson } from '@signalbox/safety/cards/canonical';
import type { Checkpoint } from '@signalbox/safety/audit/checkpoint';
import type { ChainedEvent } from '../../../../infra/audit/verify.mjs';

/** The first line of an export: which history it is, and the public keys in PEM as this installation has them. */
export function writeHead(logId: string, keys: readonly string[]): string {
  return canonicalJson({ type: 'log', logId, keys });
}

/** The line of an event. An event that is gone is null. `hash`es are in hexadecimal. */
export function writeEvent({ seq, json, leafHash, hash }: ChainedEvent): string {
  // Keys in canonical order; the event's own text is used as it is, so that what is odd about it stays visible.
  return `{"event":${json ?? 'null'},"hash":"${hash.toString('hex')}","leafHash":"${leafHash.toString('hex')}","seq":${seq},"type":"event"}`;
}

/** The line of a checkpoint of the database. It comes after the event that it reaches to. */
export function writeCheckpoint(checkpoint: Checkpoint): string {
  return canonicalJson({ ...checkpoint, type: 'checkpoint' });
}
