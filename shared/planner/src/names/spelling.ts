import { countTypos } from '@signalbox/contracts/nearest-name';

/** Returns the number of mistakes to forgive in a word: short words that differ by one letter mean different things. */
function forgiven(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/**
 * Finds the candidate that a word means: equal except for case and separators, or with a likely typing mistake. Null when none or two fit
 * equally.
 */
export function findClosest(word: string, candidates: readonly string[]): string | null {
  if (candidates.includes(word)) return word;
  const bare = toBareName(word);
  if (bare === '') return null;
  const limit = forgiven(bare.length);
  // Digits are never typing mistakes: web-1 and web-2 are two servers.
  const digits = bare.replace(/\D/g, '');
  let near: string[] = [];
  let fewest = limit;
  for (const candidate of candidates) {
    const other = toBareName(candidate);
    if (Math.abs(other.length - bare.length) > limit || other.replace(/\D/g, '') !== digits) continue;
    const typos = countTypos(bare, other, fewest);
    if (typos > fewest) continue;
    near = typos < fewest ? [candidate] : [...near, candidate];
    fewest = typos;
  }
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** Removes case and separators from a name: Web_1 and web-1 are equal. */
export function toBareName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
