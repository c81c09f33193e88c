import { readLeaves } from '@signalbox/safety/audit/checkpoint';
import { hashLeaf } from '@signalbox/safety/audit/merkle';
import type { AuditSources } from './sources.ts';

/** What happened to a history, at the first event that is not as it was. */
export interface AuditFinding {
  readonly seq: number;
  readonly problem: 'edited' | 'missing' | 'inserted' | 'swapped' | 'truncated' | 'rolled back' | 'bad signature';
  /** For people, without a full stop. */
  readonly detail: string;
}

export interface Mismatch {
  readonly seq: number;
  /** The leaf that belongs at this place. */
  readonly expected: Buffer;
  /** The leaf of what stands there; null: nothing does. */
  readonly leaf: Buffer | null;
  /** Whether `expected` is from outside of the database. */
  readonly isTrusted: boolean;
}

/**
 * Says what happened at a place whose event is not the one that was sealed. Reads the history a second time:
 *   the right event stands elsewhere, and this one was sealed elsewhere  → swapped
 *   the right event stands elsewhere, and this one was never sealed      → inserted
 *   the right event is nowhere, and this one was sealed elsewhere        → missing
 *   neither, and nothing after it is right either                        → rolled back, and gone on from there
 *   neither                                                              → edited
 * A place without an event is missing, or truncated when no later place has one.
 */
export async function explainMismatch(sources: AuditSources, mismatch: Mismatch): Promise<AuditFinding> {
  const { seq, leaf } = mismatch;
  const seen = await lookAround(sources, mismatch);
  if (leaf === null)
    return seen.laterEvents > 0
      ? { seq, problem: 'missing', detail: `event ${seq} is gone; its place in the chain is left` }
      : {
          seq,
          problem: 'truncated',
          detail: `event ${seq} and all after it are gone; their places in the chain are left`,
        };
  if (seen.standsAt !== null && seen.sealedAt !== null)
    return {
      seq,
      problem: 'swapped',
      detail: `at ${seq} stands event ${seen.sealedAt}; the right one stands at ${seen.standsAt}`,
    };
  if (seen.standsAt !== null)
    return {
      seq,
      problem: 'inserted',
      detail: `the event at ${seq} was never sealed; the right one stands at ${seen.standsAt}`,
    };
  if (seen.sealedAt !== null)
    return { seq, problem: 'missing', detail: `event ${seq} is gone; at its place stands event ${seen.sealedAt}` };
  if (mismatch.isTrusted && seen.laterPlaces > 0 && seen.laterMatches === 0)
    return {
      seq,
      problem: 'rolled back',
      detail: `from ${seq} on this is another history than the one that was signed`,
    };
  return { seq, problem: 'edited', detail: `event ${seq} is not the one that was sealed` };
}

interface Surroundings {
  /** Where the right event stands instead, and where the one that stands here was sealed. */
  readonly standsAt: number | null;
  readonly sealedAt: number | null;
  readonly laterEvents: number;
  /** Places after this one, in the history or in the checkpoints, and how many of them hold the event that was sealed there. */
  readonly laterPlaces: number;
  readonly laterMatches: number;
}

async function lookAround(sources: AuditSources, { seq, expected, leaf, isTrusted }: Mismatch): Promise<Surroundings> {
  let [standsAt, sealedAt]: [number | null, number | null] = [null, null];
  let [laterEvents, laterMatches, lastSeq] = [0, 0, seq];
  const trusted = readTrustedLeaves(sources);
  let place = await trusted.next();
  const nextTrusted = async (upTo: number): Promise<Buffer | null> => {
    for (; !place.done && place.value.seq <= upTo; place = await trusted.next()) {
      if (leaf?.equals(place.value.leaf) && place.value.seq !== seq) sealedAt ??= place.value.seq;
      lastSeq = Math.max(lastSeq, place.value.seq);
      if (place.value.seq !== upTo) continue;
      const found = place.value.leaf;
      place = await trusted.next();
      return found;
    }
    return null;
  };
  for await (const row of sources.events()) {
    const sealed = await nextTrusted(row.seq);
    if (!isTrusted && leaf?.equals(row.leafHash) && row.seq !== seq) sealedAt ??= row.seq;
    if (row.json === null) continue;
    const stands = hashLeaf(row.json);
    if (stands.equals(expected) && row.seq !== seq) standsAt ??= row.seq;
    if (row.seq <= seq) continue;
    laterEvents += 1;
    lastSeq = Math.max(lastSeq, row.seq);
    if (sealed?.equals(stands)) laterMatches += 1;
  }
  await nextTrusted(Number.MAX_SAFE_INTEGER);
  return { standsAt, sealedAt, laterEvents, laterPlaces: lastSeq - seq, laterMatches };
}

async function* readTrustedLeaves(
  sources: AuditSources,
): AsyncGenerator<{ readonly seq: number; readonly leaf: Buffer }> {
  let last = 0;
  for await (const line of sources.outside()) {
    const leaves = readLeaves(line);
    const first = line.size - leaves.length + 1;
    for (const [index, leaf] of leaves.entries()) if (first + index > last) yield { seq: first + index, leaf };
    last = Math.max(last, line.size);
  }
}
