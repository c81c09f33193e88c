import {
  findSignatureProblem,
  readLeaves,
  type Checkpoint,
  type CheckpointLine,
} from '@signalbox/safety/audit/checkpoint';
import { explainMismatch, type AuditFinding } from './finding.ts';
import { createMerkleTree, hashLeaf, hashLink, type MerkleTree } from '@signalbox/safety/audit/merkle';
import type { AuditSources, ChainedEvent } from './sources.ts';

export interface AuditVerdict {
  readonly ok: boolean;
  /** Events that were found to be in order, from the first on. */
  readonly events: number;
  /** How many of them a checkpoint from outside covers: a change of these would be seen. */
  readonly covered: number;
  readonly finding: AuditFinding | null;
}

/** A finding is thrown inside of this file, so that no check can forget to stop. */
class Found extends Error {
  readonly finding: AuditFinding;
  constructor(finding: AuditFinding) {
    super(finding.detail);
    this.finding = finding;
  }
}

interface State {
  readonly sources: AuditSources;
  readonly tree: MerkleTree;
  chain: Buffer;
  covered: number;
  /** Up to here a checkpoint has said that everything is as it was. */
  checked: number;
  /** A checkpoint of the database that is not to be trusted: it counts when all events are in order, else they say more. */
  forged: Found | null;
  /** The checkpoint from outside that covers the next event, once it was found to be trusted. */
  line: CheckpointLine | undefined;
  /** The events since the checkpoint before, as a checkpoint from outside has them: the leaf of event `from` first. */
  trusted: { readonly from: number; readonly leaves: readonly Buffer[] };
}

/**
 * Recomputes a history from its first event on and compares it with itself and with every checkpoint. Stops at the first event
 * that is not as it was, and says what happened to it. Memory does not grow with the number of events.
 */
export async function verifyAudit(sources: AuditSources): Promise<AuditVerdict> {
  const state: State = {
    sources,
    tree: createMerkleTree(),
    chain: Buffer.alloc(0),
    covered: 0,
    checked: 0,
    line: undefined,
    forged: null,
    trusted: { from: 1, leaves: [] },
  };
  const outside = createCursor(sources.outside());
  const inside = createCursor(sources.inside());
  try {
    // Before the events, which may become more while this reads: a checkpoint that is seen has its events then.
    await outside.peek();
    await inside.peek();
    await walk(state, outside, inside);
    return { ok: true, events: state.tree.size, covered: state.covered, finding: null };
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    return { ok: false, events: state.tree.size, covered: state.covered, finding: error.finding };
  } finally {
    await Promise.all([outside.close(), inside.close()]);
  }
}

async function walk(state: State, outside: Cursor<CheckpointLine>, inside: Cursor<Checkpoint>): Promise<void> {
  for await (const row of state.sources.events()) {
    const seq = state.tree.size + 1;
    await takeOutside(state, outside);
    await checkEvent(state, row, seq);
    state.tree.push(row.leafHash);
    state.chain = row.hash;
    if (state.line?.size === seq) {
      checkCheckpoint(state, state.line);
      state.covered = seq;
    }
    for (let next = await inside.peek(); next !== undefined && next.size <= seq; next = await inside.advance())
      checkInside(state, next);
  }
  await takeOutside(state, outside);
  const next = await inside.peek();
  const size = state.tree.size;
  if (state.line) throw cutOff(size, state.line.size, next !== undefined && next.size > size);
  if (next) {
    checkSignature(state, next);
    throw cutOff(size, next.size, true);
  }
  if (state.forged) throw state.forged;
}

/** Has the checkpoint at hand that covers the next event, with its signature and its leaves proven; none is left at its end. */
async function takeOutside(state: State, outside: Cursor<CheckpointLine>): Promise<void> {
  const size = state.tree.size;
  const before = state.line;
  if (before && before.size > size) return;
  let line = before ? await outside.advance() : await outside.peek();
  for (; line !== undefined && line.size <= size; line = await outside.advance()) {
    checkSignature(state, line);
    if (before && line.size === before.size && line.rootHash === before.rootHash) continue; // the same, kept twice
    throw bad(line.size, 'bad signature', `the checkpoints from outside contradict each other at ${line.size} events`);
  }
  state.line = line;
  state.trusted = { from: size + 1, leaves: [] };
  if (line === undefined) return;
  checkSignature(state, line);
  const leaves = readLeaves(line);
  if (leaves.length === 0 || leaves.length !== line.size - size) return; // a checkpoint alone, as the audit chat has it
  const tree = state.tree.fork();
  for (const leaf of leaves) tree.push(leaf);
  if (tree.root().toString('hex') !== line.rootHash)
    throw bad(
      size + 1,
      'bad signature',
      `the leaves of the checkpoint of ${line.size} events are not those that it signs`,
    );
  state.trusted = { from: size + 1, leaves };
}

async function checkEvent(state: State, row: ChainedEvent, seq: number): Promise<void> {
  if (row.seq > seq) throw bad(seq, 'missing', `there is no event ${seq}; the next one is ${row.seq}`);
  if (row.seq < seq) throw bad(seq, 'inserted', `event ${row.seq} comes a second time`);
  const sealed = state.trusted.leaves[seq - state.trusted.from];
  const expected = sealed ?? row.leafHash;
  const leaf = row.json === null ? null : hashLeaf(row.json);
  if (leaf === null || !leaf.equals(expected))
    throw new Found(await explainMismatch(state.sources, { seq, expected, leaf, isTrusted: sealed !== undefined }));
  if (!row.leafHash.equals(leaf))
    throw bad(seq, 'edited', `the leaf hash in the chain at ${seq} is not that of its event`);
  if (!row.hash.equals(hashLink(state.chain, leaf)))
    throw bad(seq, 'edited', `the chain at ${seq} does not follow from the event before`);
}

function checkInside(state: State, checkpoint: Checkpoint): void {
  const problem = findProblem(state, checkpoint);
  if (problem) state.forged ??= problem;
  else if (checkpoint.size === state.tree.size) checkCheckpoint(state, checkpoint);
}

function checkSignature(state: State, checkpoint: Checkpoint): void {
  const problem = findProblem(state, checkpoint);
  if (problem) throw problem;
}

function findProblem(state: State, checkpoint: Checkpoint): Found | null {
  const first = Math.min(state.tree.size + 1, checkpoint.size);
  const problem =
    checkpoint.logId === state.sources.logId
      ? findSignatureProblem(checkpoint, state.sources.keys)
      : `it belongs to another history, ${checkpoint.logId}`;
  if (problem === null) return null;
  return bad(first, 'bad signature', `the checkpoint of ${checkpoint.size} events is not to be trusted: ${problem}`);
}

function checkCheckpoint(state: State, checkpoint: Checkpoint): void {
  const same =
    checkpoint.rootHash === state.tree.root().toString('hex') && checkpoint.chainHash === state.chain.toString('hex');
  if (same) {
    state.checked = checkpoint.size;
    return;
  }
  const first = state.checked + 1;
  const detail = `an event from ${first} to ${checkpoint.size} is not what was signed; checkpoints with leaves would name it`;
  throw bad(first, 'edited', detail);
}

function cutOff(size: number, signed: number, insideKnows: boolean): Found {
  const detail = `there are ${size} events, and ${signed} were signed`;
  return insideKnows
    ? bad(size + 1, 'truncated', detail)
    : bad(size + 1, 'rolled back', `${detail}: the database is in an older state`);
}

function bad(seq: number, problem: AuditFinding['problem'], detail: string): Found {
  return new Found({ seq, problem, detail });
}

interface Cursor<T> {
  peek(): Promise<T | undefined>;
  advance(): Promise<T | undefined>;
  close(): Promise<void>;
}

function createCursor<T>(source: AsyncIterable<T>): Cursor<T> {
  const iterator = source[Symbol.asyncIterator]();
  let current: T | undefined;
  let begun = false;
  const advance = async (): Promise<T | undefined> => {
    begun = true;
    const next = await iterator.next();
    return (current = next.done === true ? undefined : next.value);
  };
  return {
    peek: async () => (begun ? current : advance()),
    advance,
    close: async () => void (await iterator.return?.()),
  };
}
