#!/usr/bin/env node
/*
 * Verifies an audit export without the product: `node verify.mjs export.jsonl checkpoints.jsonl key.pub`
 *   export.jsonl       written by `signalbox audit export`
 *   checkpoints.jsonl  signed states of the history, stored beyond the reach of the database's administrator
 *   key.pub            Ed25519 public keys in PEM, one or several
 * Exit code 0: valid; 1: invalid, with the first bad event; 2: unreadable files.
 * With --json the verdict is one JSON object. Memory use is constant. docs/audit.md defines what is hashed and signed.
 * `signalbox audit verify` uses this code too, which shares nothing with the code that records, seals and signs.
 */
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HASH = /^[0-9a-f]{64}$/;

/** Carries a finding; thrown, so that no check can forget to stop. */
class BadEvent extends Error {
  constructor(seq, problem, detail) {
    super(detail);
    this.finding = { seq, problem, detail };
  }
}

/** Thrown for a line that is no part of an audit export. */
export class UnreadableExport extends Error {
  constructor(file, line, detail) {
    super(`Line ${line} of ${file} cannot be read: ${detail}.`);
    Object.assign(this, { file, line, detail });
  }
}

/** Verifies an export: see `verifyHistory`. */
export async function verifyFiles(exportFile, checkpointsFile, keyFile) {
  const outside = () => readOutside(checkpointsFile);
  return verifyHistory({ ...(await openExport(exportFile)), outside, keys: readKeys(keyFile) });
}

/**
 * Recomputes a history from its first event and compares it with itself and every checkpoint. Stops at the first bad event. Returns { ok,
 * events, covered, finding }: number of valid events, how many of them an external checkpoint covers, and the problem.
 */
export async function verifyHistory(source) {
  const state = { source, tree: createTree(), chain: Buffer.alloc(0), covered: 0, checked: 0, sealed: [], first: 1 };
  const [outside, inside] = [source.outside(), source.inside()].map((each) => each[Symbol.asyncIterator]());
  try {
    await walk(state, outside, inside);
    return { ok: true, events: state.tree.size(), covered: state.covered, finding: null };
  } catch (error) {
    if (!(error instanceof BadEvent)) throw error;
    return { ok: false, events: state.tree.size(), covered: state.covered, finding: error.finding };
  } finally {
    await Promise.all([outside.return?.(), inside.return?.()]);
  }
}

async function walk(state, outside, inside) {
  // Read before the events, which may grow meanwhile, so that a checkpoint's events exist.
  let upcoming = (await outside.next()).value;
  let signed = (await inside.next()).value;
  let line; // the external checkpoint that covers the next event
  const takeLine = async () => {
    const size = state.tree.size();
    if (line && line.size > size) return;
    const before = line;
    if (before) upcoming = (await outside.next()).value;
    for (; upcoming && upcoming.size <= size; upcoming = (await outside.next()).value) {
      checkSignature(state, upcoming);
      if (before && upcoming.size === before.size && upcoming.rootHash === before.rootHash) continue; // a duplicate
      const detail = `the checkpoints from outside contradict each other at ${upcoming.size} events`;
      throw new BadEvent(upcoming.size, 'bad signature', detail);
    }
    line = upcoming;
    [state.first, state.sealed] = [size + 1, []];
    if (!line) return;
    checkSignature(state, line);
    const leaves = readLeaves(line);
    if (leaves.length === 0 || leaves.length !== line.size - size) return; // a checkpoint without leaves, as in the audit chat
    const tree = state.tree.fork();
    for (const leaf of leaves) tree.push(leaf);
    if (tree.root().toString('hex') !== line.rootHash) {
      const detail = `the leaves of the checkpoint of ${line.size} events are not those that it signs`;
      throw new BadEvent(size + 1, 'bad signature', detail);
    }
    state.sealed = leaves;
  };

  for await (const row of state.source.events()) {
    const seq = state.tree.size() + 1;
    await takeLine();
    await checkRow(state, row, seq);
    state.tree.push(row.leafHash);
    state.chain = row.hash;
    if (line?.size === seq) {
      checkState(state, line);
      state.covered = seq;
    }
    for (; signed && signed.size <= seq; signed = (await inside.next()).value) {
      // A forged checkpoint is reported only when all events are valid, which tell more.
      const problem = findProblem(state, signed);
      if (problem) state.forged ??= problem;
      else if (signed.size === seq) checkState(state, signed);
    }
  }
  await takeLine();
  const size = state.tree.size();
  if (!line && signed) checkSignature(state, signed);
  if (line || signed) {
    const detail = `there are ${size} events, and ${(line ?? signed).size} were signed`;
    if (signed && signed.size > size) throw new BadEvent(size + 1, 'truncated', detail);
    throw new BadEvent(size + 1, 'rolled back', `${detail}: the database is in an older state`);
  }
  if (state.forged) throw state.forged;
}

async function checkRow(state, row, seq) {
  if (row.seq > seq) throw new BadEvent(seq, 'missing', `there is no event ${seq}; the next one is ${row.seq}`);
  if (row.seq < seq) throw new BadEvent(seq, 'inserted', `event ${row.seq} comes a second time`);
  const sealed = state.sealed[seq - state.first];
  const right = sealed ?? row.leafHash;
  const leaf = row.json === null ? null : hashLeaf(row.json);
  if (leaf === null || !leaf.equals(right))
    throw await explain(state.source, { seq, right, leaf, isTrusted: sealed !== undefined });
  if (!row.leafHash.equals(leaf))
    throw new BadEvent(seq, 'edited', `the leaf hash in the chain at ${seq} is not that of its event`);
  if (!row.hash.equals(sha256(Buffer.from([2]), state.chain, leaf)))
    throw new BadEvent(seq, 'edited', `the chain at ${seq} does not follow from the event before`);
}

function checkSignature(state, checkpoint) {
  const problem = findProblem(state, checkpoint);
  if (problem) throw problem;
}

function findProblem(state, { at, chainHash, keyId, logId, rootHash, size, signature }) {
  const first = Math.min(state.tree.size() + 1, size);
  const refuse = (why) =>
    new BadEvent(first, 'bad signature', `the checkpoint of ${size} events is not to be trusted: ${why}`);
  if (logId !== state.source.logId) return refuse(`it belongs to another history, ${logId}`);
  const key = state.source.keys.get(keyId);
  if (!key) return refuse(`its key ${keyId} is not among the given ones`);
  const text = `signalbox audit checkpoint v1\n${canonical({ at, chainHash, keyId, logId, rootHash, size })}`;
  const isValid = verifySignature(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
  return isValid ? null : refuse('its signature is not that of its key');
}

function checkState(state, checkpoint) {
  const root = state.tree.root().toString('hex');
  if (checkpoint.rootHash === root && checkpoint.chainHash === state.chain.toString('hex')) {
    state.checked = checkpoint.size;
    return;
  }
  const first = state.checked + 1;
  const detail = `an event from ${first} to ${checkpoint.size} is not what was signed; checkpoints with leaves would name it`;
  throw new BadEvent(first, 'edited', detail);
}

/**
 * Explains an event that differs from the sealed one. Reads the history a second time:
 *   the right event stands elsewhere, and this one was sealed elsewhere  → swapped
 *   the right event stands elsewhere, and this one was never sealed      → inserted
 *   the right event is nowhere, and this one was sealed elsewhere        → missing
 *   neither, and nothing after it is right either                        → rolled back, and gone on from there
 *   neither                                                              → edited
 * A place without an event is missing, or truncated when no later place has one.
 */
async function explain(source, { seq, right, leaf, isTrusted }) {
  /** @type {[number | null, number | null]} */
  let [standsAt, belongsAt] = [null, null];
  let [laterEvents, laterMatches, lastSeq] = [0, 0, seq];
  const trusted = trustedLeaves(source);
  let place = await trusted.next();
  const trustedAt = async (upTo) => {
    for (; !place.done && place.value.seq <= upTo; place = await trusted.next()) {
      if (leaf?.equals(place.value.leaf) && place.value.seq !== seq) belongsAt ??= place.value.seq;
      lastSeq = Math.max(lastSeq, place.value.seq);
      if (place.value.seq !== upTo) continue;
      const found = place.value.leaf;
      place = await trusted.next();
      return found;
    }
    return null;
  };
  for await (const row of source.events()) {
    const sealed = await trustedAt(row.seq);
    if (!isTrusted && leaf?.equals(row.leafHash) && row.seq !== seq) belongsAt ??= row.seq;
    if (row.json === null) continue;
    const stands = hashLeaf(row.json);
    if (stands.equals(right) && row.seq !== seq) standsAt ??= row.seq;
    if (row.seq <= seq) continue;
    laterEvents += 1;
    lastSeq = Math.max(lastSeq, row.seq);
    if (sealed?.equals(stands)) laterMatches += 1;
  }
  await trustedAt(Number.MAX_SAFE_INTEGER);
  if (leaf === null)
    return laterEvents > 0
      ? new BadEvent(seq, 'missing', `event ${seq} is gone; its place in the chain is left`)
      : new BadEvent(seq, 'truncated', `event ${seq} and all after it are gone; their places in the chain are left`);
  if (standsAt !== null && belongsAt !== null)
    return new BadEvent(seq, 'swapped', `at ${seq} stands event ${belongsAt}; the right one stands at ${standsAt}`);
  if (standsAt !== null)
    return new BadEvent(seq, 'inserted', `the event at ${seq} was never sealed; the right one stands at ${standsAt}`);
  if (belongsAt !== null)
    return new BadEvent(seq, 'missing', `event ${seq} is gone; at its place stands event ${belongsAt}`);
  if (isTrusted && lastSeq > seq && laterMatches === 0)
    return new BadEvent(seq, 'rolled back', `from ${seq} on this is another history than the one that was signed`);
  return new BadEvent(seq, 'edited', `event ${seq} is not the one that was sealed`);
}

async function* trustedLeaves(source) {
  let last = 0;
  for await (const line of source.outside()) {
    const leaves = readLeaves(line);
    const first = line.size - leaves.length + 1;
    for (const [index, leaf] of leaves.entries()) if (first + index > last) yield { seq: first + index, leaf };
    last = Math.max(last, line.size);
  }
}

function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function hashLeaf(text) {
  return sha256(Buffer.from([0]), text);
}

/** A Merkle tree (RFC 6962); `peaks` are the roots of its complete subtrees, largest first. */
function createTree(size = 0, peaks = []) {
  let count = size;
  return {
    size: () => count,
    push: (leaf) => {
      let top = leaf;
      for (let rest = count; rest % 2 === 1; rest = (rest - 1) / 2) top = sha256(Buffer.from([1]), peaks.pop(), top);
      peaks.push(top);
      count += 1;
    },
    root: () => {
      if (peaks.length === 0) return sha256();
      return peaks.slice(0, -1).reduceRight((right, left) => sha256(Buffer.from([1]), left, right), peaks.at(-1));
    },
    fork: () => createTree(count, [...peaks]),
  };
}

function readLeaves({ leaves }) {
  const bytes = Buffer.from(leaves ?? '', 'base64');
  return Array.from({ length: Math.floor(bytes.length / 32) }, (_, i) => bytes.subarray(i * 32, i * 32 + 32));
}

/** Canonical JSON (RFC 8785): keys sorted by UTF-16 units, no spaces, numbers as in JavaScript. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
    return `{${keys.map((key) => `${canonical(key)}:${canonical(value[key])}`).join(',')}}`;
  }
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('half a character');
  return JSON.stringify(value);
}

function readKeys(file) {
  const pems = readFileSync(file, 'utf8').match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (pems.length === 0) throw new Error(`${file} holds no public key in PEM`);
  const keys = pems.map((pem) => createPublicKey(pem));
  const idOf = (key) =>
    sha256(key.export({ type: 'spki', format: 'der' }))
      .toString('hex')
      .slice(0, 16);
  return new Map(keys.map((key) => [idOf(key), key]));
}

async function* readLines(file, end) {
  const lines = createInterface({
    input: createReadStream(file, end === undefined ? {} : { end }),
    crlfDelay: Infinity,
  });
  let number = 0;
  try {
    for await (const text of lines) {
      number += 1;
      if (text === '') continue;
      yield { text, number, file, value: parseLine(text, number, file) };
    }
  } finally {
    lines.close();
  }
}

function parseLine(text, number, file) {
  try {
    const value = JSON.parse(text);
    if (value !== null && typeof value === 'object') return value;
  } catch {
    // reported below
  }
  throw new UnreadableExport(file, number, 'it is no line of an audit');
}

/** Opens an export as a source of `verifyHistory`, without keys and external checkpoints. */
export async function openExport(file) {
  const { value: head } = await readLines(file).next();
  if (head?.value.type !== 'log') throw new UnreadableExport(file, 1, 'an export begins with its history');
  return {
    logId: head.value.logId,
    events: () => select(file, 'event', readRow),
    inside: () => select(file, 'checkpoint', readCheckpoint),
  };
}

async function* select(file, type, read) {
  for await (const line of readLines(file)) if (line.value.type === type) yield read(line);
}

/** Reads an event's line; additional content makes it a different event. */
function readRow({ file, number, text, value: { seq, event, hash, leafHash } }) {
  if (!Number.isSafeInteger(seq) || seq < 1 || event === undefined)
    throw new UnreadableExport(file, number, 'it is no event');
  const row = {
    seq,
    json: text,
    leafHash: Buffer.from(String(leafHash), 'hex'),
    hash: Buffer.from(String(hash), 'hex'),
  };
  if (event === null) row.json = null;
  else {
    try {
      row.json = canonical(event);
    } catch {
      // an event without a canonical form was never sealed
    }
  }
  const hex = [row.hash, row.leafHash].map((bytes) => bytes.toString('hex'));
  const line = `{"event":${row.json ?? 'null'},"hash":"${hex[0]}","leafHash":"${hex[1]}","seq":${seq},"type":"event"}`;
  return line === text ? row : { ...row, json: text };
}

function readCheckpoint({ file, number, value }) {
  const { size, rootHash, chainHash } = value;
  if (!Number.isSafeInteger(size) || size < 1 || !HASH.test(rootHash) || !HASH.test(chainHash))
    throw new UnreadableExport(file, number, 'it is not a checkpoint');
  return value;
}

/** Ignores an incomplete last line, left by a crash. */
async function* readOutside(file) {
  const end = countCompleteBytes(file);
  if (end === 0) return;
  for await (const line of readLines(file, end - 1)) yield readCheckpoint(line);
}

/** Size of a file's complete lines in bytes. */
function countCompleteBytes(file) {
  const handle = openSync(file, 'r');
  try {
    const block = Buffer.alloc(65_536);
    for (let end = fstatSync(handle).size; end > 0;) {
      const begin = Math.max(0, end - block.length);
      const at = block.subarray(0, readSync(handle, block, 0, end - begin, begin)).lastIndexOf(0x0a);
      if (at >= 0) return begin + at + 1;
      end = begin;
    }
    return 0;
  } finally {
    closeSync(handle);
  }
}

async function main(words) {
  const files = words.filter((word) => word !== '--json');
  if (files.length !== 3) {
    process.stderr.write('Write: node verify.mjs <export.jsonl> <checkpoints.jsonl> <key.pub> [--json]\n');
    return 2;
  }
  const verdict = await verifyFiles(...files);
  if (words.includes('--json')) {
    process.stdout.write(`${JSON.stringify(verdict)}\n`);
    return verdict.ok ? 0 : 1;
  }
  const { finding, events, covered } = verdict;
  if (finding) process.stdout.write(`Event ${finding.seq}: ${finding.problem}: ${finding.detail}.\n`);
  process.stdout.write(`${events} events in order, ${covered} covered by checkpoints from outside.\n`);
  return verdict.ok ? 0 : 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2)).catch((/** @type {unknown} */ error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  });
}
