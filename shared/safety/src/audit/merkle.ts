import { createHash } from 'node:crypto';

/** An append-only Merkle tree that keeps one hash per level: 20 hashes for a million leaves. */
export interface MerkleTree {
  readonly size: number;
  push(leafHash: Buffer): void;
  /** The current root; without leaves the hash of nothing (RFC 6962). */
  root(): Buffer;
  /** Copies the tree; the copy grows independently. */
  fork(): MerkleTree;
}

// These prefixes keep hashes of leaves, nodes and chain links apart.
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
const LINK = Buffer.from([2]);

/** Hashes a leaf, bytes or UTF-8 text (RFC 6962, section 2.1). */
export function hashLeaf(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(LEAF).update(bytes).digest();
}

/** Computes the chain hash of an event from the previous chain hash (empty for the first event) and the event's leaf. */
export function hashLink(previous: Buffer, leafHash: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.concat([LINK, previous, leafHash]))
    .digest();
}

export function createMerkleTree(): MerkleTree {
  return growTree(0, []);
}

/** `peaks` are the roots of the complete subtrees, largest first, one per set bit of `size`. */
function growTree(size: number, peaks: readonly Buffer[]): MerkleTree {
  let count = size;
  const roots = [...peaks];
  return {
    get size() {
      return count;
    },
    push: (leafHash) => {
      let top = leafHash;
      for (let rest = count; rest % 2 === 1; rest = Math.floor(rest / 2)) top = hashNode(roots.pop() ?? top, top);
      roots.push(top);
      count += 1;
    },
    root: () => {
      const smallest = roots.at(-1);
      if (smallest === undefined) return createHash('sha256').digest();
      return roots.slice(0, -1).reduceRight((right, left) => hashNode(left, right), smallest);
    },
    fork: () => growTree(count, roots),
  };
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.concat([NODE, left, right]))
    .digest();
}
