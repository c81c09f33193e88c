import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMerkleTree, hashLeaf, hashLink } from './merkle.ts';

// Test vectors shared by Certificate Transparency's implementations of RFC 6962.
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (hex) => Buffer.from(hex, 'hex'),
);
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** RFC 6962, section 2.1, implemented literally. */
function rootByDefinition(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest();
  if (leaves.length === 1)
    return createHash('sha256')
      .update(Buffer.concat([Buffer.from([0]), ...leaves]))
      .digest();
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  const parts = [rootByDefinition(leaves.slice(0, half)), rootByDefinition(leaves.slice(half))];
  return createHash('sha256')
    .update(Buffer.concat([Buffer.from([1]), ...parts]))
    .digest();
}

describe('the Merkle tree', () => {
  it.each(ROOTS.map((root, size) => ({ size, root })))(
    'has the published root hash for $size leaves',
    ({ size, root }) => {
      const tree = createMerkleTree();
      for (const leaf of LEAVES.slice(0, size)) tree.push(hashLeaf(leaf));
      expect(tree.root().toString('hex')).toBe(root);
      expect(tree.size).toBe(size);
    },
  );

  it('has the root hash that RFC 6962 defines at each size', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 40 }), (given) => {
        const leaves = given.map((bytes) => Buffer.from(bytes));
        const tree = createMerkleTree();
        leaves.forEach((leaf, index) => {
          tree.push(hashLeaf(leaf));
          expect(tree.root()).toEqual(rootByDefinition(leaves.slice(0, index + 1)));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('can be forked, and both trees then grow independently', () => {
    const tree = createMerkleTree();
    for (const leaf of LEAVES.slice(0, 3)) tree.push(hashLeaf(leaf));
    const fork = tree.fork();
    fork.push(hashLeaf(LEAVES[3] ?? Buffer.alloc(0)));
    expect([tree.root().toString('hex'), fork.root().toString('hex')]).toEqual([ROOTS[3], ROOTS[4]]);
    expect([tree.size, fork.size]).toEqual([3, 4]);
  });
});

it('the hash of a chain link differs from the hash of a Merkle leaf or node with the same data', () => {
  const [left, right] = [hashLeaf('a'), hashLeaf('b')];
  const tree = createMerkleTree();
  tree.push(left);
  tree.push(right);
  expect(hashLink(left, right)).not.toEqual(tree.root());
  expect(hashLink(Buffer.alloc(0), left)).not.toEqual(hashLeaf(left));
});
