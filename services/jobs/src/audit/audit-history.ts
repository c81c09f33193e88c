import { readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import {
  findSignatureProblem,
  type AuditKeys,
  type Checkpoint,
  type CheckpointLine,
} from '@signalbox/safety/audit/checkpoint';
import { createMerkleTree, hashLink, type MerkleTree } from '@signalbox/safety/audit/merkle';
import { readAuditLogId, readCheckpoints, readLinks } from '@signalbox/store/audit/audit-chain';
import type { Queryable } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';

/** State of the sealer: the tree and the last hash of all sealed events. */
export interface SealerState {
  readonly tree: MerkleTree;
  /** Last hash of the chain; empty without events. */
  chain: Buffer;
  readonly logId: string;
  /** Number of events that the newest checkpoint in the database covers. */
  signed: number;
  /** Number of events that the newest checkpoint in the file covers. */
  filed: number;
}

const PAGE = 5_000;

/** Reads all sealed events and compares them with every checkpoint of the database and the file. Throws AUDIT_HISTORY_DIFFERS. */
export async function readHistory(
  db: Queryable,
  options: { readonly file: string; readonly keys: AuditKeys },
): Promise<SealerState> {
  const logId = await readAuditLogId(db);
  const inFile = await readFileCheckpoints(options.file);
  const inDatabase = await readAllCheckpoints(db, logId);
  const known = [...inFile, ...inDatabase].sort((a, b) => a.size - b.size);
  for (const checkpoint of known) requireOurs(checkpoint, logId, options.keys);
  const [signed, filed] = [inDatabase.at(-1)?.size ?? 0, inFile.at(-1)?.size ?? 0];
  const history: SealerState = { tree: createMerkleTree(), chain: Buffer.alloc(0), logId, signed, filed };
  let next = 0;
  for await (const link of readAllLinks(db)) {
    follow(history, link);
    for (let it = known[next]; it?.size === history.tree.size; it = known[++next]) requireSame(it, history);
  }
  const beyond = known[next];
  if (beyond)
    throw differs(`${beyond.size} events were signed at ${beyond.at}, and the database has ${history.tree.size}`);
  return history;
}

type Link = Awaited<ReturnType<typeof readLinks>>[number];

async function* readAllLinks(db: Queryable): AsyncGenerator<Link> {
  for (let last = 0; ;) {
    const page = await readLinks(db, last, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1)?.seq ?? last;
  }
}

function follow(history: SealerState, { seq, leafHash, hash }: Link): void {
  const expected = history.tree.size + 1;
  if (seq !== expected) throw differs(`event ${expected} has lost its place in the order`);
  if (!hash.equals(hashLink(history.chain, leafHash)))
    throw differs(`event ${seq} does not follow from the one before`);
  history.tree.push(leafHash);
  history.chain = hash;
}

function requireOurs(checkpoint: Checkpoint, logId: string, keys: AuditKeys): void {
  if (checkpoint.logId !== logId)
    throw differs(`the checkpoint of ${checkpoint.size} events belongs to another history, ${checkpoint.logId}`);
  const problem = findSignatureProblem(checkpoint, keys);
  if (problem) throw differs(`the checkpoint of ${checkpoint.size} events is not to be trusted: ${problem}`);
}

function requireSame(checkpoint: Checkpoint, { tree, chain }: SealerState): void {
  if (checkpoint.rootHash === tree.root().toString('hex') && checkpoint.chainHash === chain.toString('hex')) return;
  throw differs(`the first ${checkpoint.size} events are not those that were signed at ${checkpoint.at}`);
}

/** Reads the file's checkpoints without the leaves, which are as large as the history. */
async function readFileCheckpoints(file: string): Promise<readonly Checkpoint[]> {
  const found: Checkpoint[] = [];
  for await (const { leaves: _leaves, ...checkpoint } of readCheckpointFile(file)) found.push(checkpoint);
  return found;
}

async function readAllCheckpoints(db: Queryable, logId: string): Promise<readonly Checkpoint[]> {
  const found: Checkpoint[] = [];
  for (;;) {
    const page = await readCheckpoints(db, found.at(-1)?.size ?? 0, PAGE);
    found.push(...page.map((checkpoint) => ({ ...checkpoint, logId })));
    if (page.length < PAGE) return found;
  }
}

/** Yields the checkpoints that the file lacks, each with the leaves of its events. */
export async function* readMissingLines(db: Queryable, history: SealerState): AsyncGenerator<CheckpointLine> {
  let filed = history.filed;
  for (const checkpoint of await readCheckpoints(db, filed, PAGE)) {
    const leaves: Buffer[] = [];
    while (filed < checkpoint.size) {
      const links = await readLinks(db, filed, Math.min(PAGE, checkpoint.size - filed));
      if (links.length === 0) throw differs(`event ${filed + 1} has lost its place in the order`);
      leaves.push(...links.map((link) => link.leafHash));
      filed += links.length;
    }
    yield { ...checkpoint, logId: history.logId, leaves: Buffer.concat(leaves).toString('base64') };
  }
}

function differs(detail: string): AppError {
  return new AppError('AUDIT_HISTORY_DIFFERS', { detail });
}
