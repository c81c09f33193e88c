import { describe, expect, it } from 'vitest';
import { hashLine, packLines, unpackLines } from './line-hashes.ts';
import { selectFingerprints } from './winnow.ts';

const lines = (count: number, word: string): readonly number[] =>
  Array.from({ length: count }, (_, n) => hashLine(`${word} ${n} ${(n * 7919) % 101}`));

describe('fingerprints for finding duplicate code', () => {
  it('two texts that share 25 lines share a fingerprint, wherever the lines are', () => {
    const shared = lines(25, 'shared');
    for (let before = 0; before < 40; before += 1) {
      const one = selectFingerprints(Int32Array.from([...lines(before, 'one'), ...shared, ...lines(9, 'after')]));
      const other = selectFingerprints(Int32Array.from([...lines(25, 'other'), ...shared]));
      const hashes = new Set(one.map(({ hash }) => hash));
      expect([before, other.filter(({ hash }) => hashes.has(hash)).length > 0]).toEqual([before, true]);
    }
  });

  it('few lines of a text are selected as fingerprints, and one alone when all lines are equal', () => {
    expect(selectFingerprints(Int32Array.from(lines(1_000, 'line'))).length).toBeLessThan(180);
    expect(new Set(selectFingerprints(new Int32Array(1_000).fill(7)).map(({ hash }) => hash)).size).toBe(1);
    expect(selectFingerprints(new Int32Array(9))).toEqual([]);
  });

  it('fingerprints are the same after they were packed and unpacked', () => {
    const packed = packLines([
      { hash: 0xffffff, number: 262_143 },
      { hash: 0, number: 1 },
    ]);
    expect([...unpackLines(packed).hashes]).toEqual([0xffffff, 0]);
    expect([...unpackLines(packed).numbers]).toEqual([262_143, 1]);
  });
});
