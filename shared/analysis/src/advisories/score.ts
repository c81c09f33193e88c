import cvss from 'ae-cvss-calculator';

/** The highest score of CVSS vectors of any version, from 0 to 10; null where none can be read. */
export function scoreOf(vectors: readonly string[]): number | null {
  const scores = vectors.flatMap((vector) => readScore(vector) ?? []);
  return scores.length === 0 ? null : Math.max(...scores);
}

function readScore(vector: string): number | null {
  try {
    const { overall } = cvss.fromVector(vector)?.calculateScores() ?? {};
    return typeof overall === 'number' && overall >= 0 && overall <= 10 ? overall : null;
  } catch {
    // A vector that the library finds wrong has no score.
    return null;
  }
}
