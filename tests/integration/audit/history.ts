import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getKeyId, signCheckpoint, type CheckpointLine } from '@signalbox/safety/audit/checkpoint';
import { formatCheckpointLine, formatEventLine, formatHeaderLine } from '@signalbox/cli/audit/export';
import { createMerkleTree, hashLeaf, hashLink } from '@signalbox/safety/audit/merkle';
import { toCanonicalJson } from '@signalbox/safety/cards/canonical';
import { verifyFiles, verifyHistory, type AuditVerdict } from '../../../infra/audit/verify.mjs';
import { exampleEvent } from './harness.ts';

export const LOG_ID = '5b0f0a52-6a57-4c0d-9d0e-1f5a3b1f6c11';

/** An event as it stands in an export. */
export interface Place {
  seq: number;
  event: Record<string, unknown> | null;
  leafHash: Buffer;
  hash: Buffer;
}

/** A history in memory: what the database has, and what is kept outside of it. */
export interface History {
  places: Place[];
  inside: Omit<CheckpointLine, 'leaves'>[];
  outside: CheckpointLine[];
}

/** The keys of the installation, and those of somebody who would like to have them. */
export const SIGNER = generateKeyPairSync('ed25519');
export const FORGER = generateKeyPairSync('ed25519');

/** The n-th event as the database gives it out. */
export function recordedEvent(n: number): Record<string, unknown> {
  return {
    ...exampleEvent(n),
    eventId: String(n),
    recordedAt: new Date(1_790_000_000_000 + n * 997).toISOString().replace('Z', '123Z'),
  };
}

/** A history of so many events with a checkpoint after every `each` and one at its end. */
export function makeHistory(size: number, each: number): History {
  const places = Array.from({ length: size }, (_, i) => ({
    seq: i + 1,
    event: recordedEvent(i + 1),
    leafHash: Buffer.alloc(0),
    hash: Buffer.alloc(0),
  }));
  const history: History = { places, inside: [], outside: [] };
  rehash(history);
  const sizes = Array.from({ length: Math.ceil(size / each) }, (_, i) => Math.min(size, (i + 1) * each));
  history.outside = sign(history, sizes, SIGNER.privateKey);
  history.inside = history.outside.map(({ leaves: _leaves, ...checkpoint }) => checkpoint);
  return history;
}

/** What somebody does who may write everything and knows how it is computed: numbers and hashes agree again. */
export function rehash(history: History): void {
  let chain: Buffer = Buffer.alloc(0);
  history.places.forEach((place, index) => {
    place.seq = index + 1;
    place.leafHash = hashLeaf(toCanonicalJson(place.event));
    chain = hashLink(chain, place.leafHash);
    place.hash = chain;
  });
}

/** Checkpoints of the history as it is now. */
export function sign(history: History, sizes: readonly number[], key: KeyObject): CheckpointLine[] {
  const tree = createMerkleTree();
  const lines: CheckpointLine[] = [];
  let leaves: Buffer[] = [];
  for (const place of history.places) {
    tree.push(place.leafHash);
    leaves.push(place.leafHash);
    if (!sizes.includes(place.seq)) continue;
    const statement = {
      logId: LOG_ID,
      size: place.seq,
      rootHash: tree.root().toString('hex'),
      chainHash: place.hash.toString('hex'),
      at: `2026-03-01T00:00:${String(lines.length % 60).padStart(2, '0')}.000Z`,
    };
    lines.push({ ...signCheckpoint(statement, key), leaves: Buffer.concat(leaves).toString('base64') });
    leaves = [];
  }
  return lines;
}

/** A copy that can be tampered with. */
export function copyOf({ places, inside, outside }: History): History {
  return {
    places: places.map((place) => ({ ...place, event: structuredClone(place.event) })),
    inside: structuredClone(inside),
    outside: structuredClone(outside),
  };
}

/** What the verifier says about a history as it is in memory. */
export function verifyInMemory({ places, inside, outside }: History): Promise<AuditVerdict> {
  return verifyHistory({
    logId: LOG_ID,
    keys: new Map([[getKeyId(SIGNER.publicKey), SIGNER.publicKey]]),
    events: () => iterate(places.map(({ event, ...place }) => ({ ...place, json: event && toCanonicalJson(event) }))),
    inside: () => iterate(inside),
    outside: () => iterate(outside),
  });
}

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** What the verifier says about a history that was exported into files of this folder. */
export async function verifyExported(history: History, dir: string): Promise<AuditVerdict> {
  const files = {
    export: join(dir, 'export.jsonl'),
    checkpoints: join(dir, 'checkpoints.jsonl'),
    key: join(dir, 'key.pub'),
  };
  const lines = [formatHeaderLine(LOG_ID, [])];
  let next = 0;
  for (const { seq, event, leafHash, hash } of history.places) {
    lines.push(formatEventLine({ seq, leafHash, hash, json: event && toCanonicalJson(event) }));
    for (let it = history.inside[next]; it && it.size <= seq; it = history.inside[++next])
      lines.push(formatCheckpointLine(it));
  }
  lines.push(...history.inside.slice(next).map(formatCheckpointLine));
  writeFileSync(files.export, lines.map((line) => `${line}\n`).join(''));
  writeFileSync(files.checkpoints, history.outside.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(files.key, SIGNER.publicKey.export({ type: 'spki', format: 'pem' }));
  return verifyFiles(files.export, files.checkpoints, files.key);
}
