import { createHash } from 'node:crypto';

/** A Merkle tree over leaves that only ever come at its end. It keeps one hash per level, so a million leaves cost 20 of them. */
export interface MerkleTree {
  readonly size: number;
  push(leafHash: Buffer): void;
  /** The root as it is now; of no leaves the hash of nothing, as RFC 6962 wants it. */
  root(): Buffer;
  /** A tree that goes on from here on its own. */
  fork(): MerkleTree;
}

// A leaf can never be passed off as a node, nor a link of the chain as either.
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
const LINK = Buffer.from([2]);

/** The hash of a leaf's bytes, which may be text in UTF-8 (RFC 6962, section 2.1). */
export function hashLeaf(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(LEAF).update(bytes).digest();
}

/** The hash that the chain has at an event: it covers the one before (empty for the first) and the event's own leaf. */
export function hashLink(previous: Buffer, leafHash: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.concat([LINK, previous, leafHash]))
    .digest();
}

/** An empty tree. */
export function createMerkleTree(): MerkleTree {
  return growTree(0, []);
}

/** `peaks` are the roots of the complete subtrees, largest first: one for each bit that is set in `size`. */
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
