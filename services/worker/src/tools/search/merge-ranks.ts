/** The usual constant of reciprocal rank fusion: the first places count much alike, so neither list decides alone. */
const RANK_OFFSET = 60;
/** The score of what only vectors find; similarities of models differ too much to be compared with scores of words. */
const NEAR_SCORE = 0.4;

/**
 * Joins what words and what vectors found, both best first, by reciprocal rank fusion. The scores of the words stay and are given out again
 * in the new order, so that they can be compared with other searches. Without vectors nothing changes. Pure.
 */
export function mergeRanks<T extends { readonly score: number }>(
  byWords: readonly T[],
  byVectors: readonly T[],
  keyOf: (hit: T) => string,
): readonly T[] {
  const found = new Map<string, { readonly hit: T; readonly score: number; rank: number }>();
  for (const list of [byWords, byVectors])
    for (const [place, hit] of list.entries()) {
      const entry = found.get(keyOf(hit)) ?? { hit, score: list === byWords ? hit.score : NEAR_SCORE, rank: 0 };
      entry.rank += 1 / (RANK_OFFSET + place + 1);
      found.set(keyOf(hit), entry);
    }
  const entries = [...found.values()];
  const scores = entries.map(({ score }) => score).sort((one, other) => other - one);
  return entries
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ hit }, place) => ({ ...hit, score: scores[place] ?? 0 }));
}
