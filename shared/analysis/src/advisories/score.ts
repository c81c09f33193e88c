import cvss from 'ae-cvss-calculator';

/** Computes the highest score of CVSS vectors of any version, 0 to 10; null when none can be parsed. */
export function scoreOf(vectors: readonly string[]): number | null {
  const scores = vectors.flatMap((vector) => readScore(vector) ?? []);
  return scores.length === 0 ? null : Math.max(...scores);
}

function readScore(vector: string): number | null {
  try {
    const { overall } = cvss.fromVector(vector)?.calculateScores() ?? {};
    return typeof overall === 'number' && overall >= 0 && overall <= 10 ? overall : null;
  } catch {
    // an invalid vector has no score
    return null;
  }
}
