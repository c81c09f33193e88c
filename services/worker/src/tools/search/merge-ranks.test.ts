import { expect, it } from 'vitest';
import { mergeRanks } from './merge-ranks.ts';

const hit = (id: string, score: number) => ({ id, score });
const fuse = (words: readonly ReturnType<typeof hit>[], near: readonly ReturnType<typeof hit>[]) =>
  mergeRanks(words, near, ({ id }) => id);

it('what both lists name comes before the first of either', () => {
  const found = fuse([hit('a', 0.9), hit('b', 0.7)], [hit('c', 0.99), hit('b', 0.5)]);
  expect(found.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
});

it('scores of words stay comparable with other searches, whatever a model calls alike', () => {
  expect(fuse([hit('a', 0.9), hit('b', 0.7)], [hit('c', 0.99), hit('b', 0.5)]).map(({ score }) => score)).toEqual([
    0.9, 0.7, 0.4,
  ]);
});

it('without vectors nothing changes', () => {
  const words = [hit('a', 0.5), hit('b', 0.1)];
  expect(fuse(words, [])).toEqual(words);
});
