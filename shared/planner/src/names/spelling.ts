import { countSlips } from '@signalbox/contracts/nearest-name';

/** How many mistakes are forgiven in a word of that length: short words differ by one letter and mean something else. */
function forgiven(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/**
 * The one candidate that the word was meant to be: equal but for case and separators, else within the forgiven mistakes.
 * Null when there is none, or when two are as near.
 */
export function findClosest(word: string, candidates: readonly string[]): string | null {
  if (candidates.includes(word)) return word;
  const bare = toBareName(word);
  if (bare === '') return null;
  const limit = forgiven(bare.length);
  // A digit is never a typing mistake: web-1 and web-2 are two servers.
  const digits = bare.replace(/\D/g, '');
  let near: string[] = [];
  let fewest = limit;
  for (const candidate of candidates) {
    const other = toBareName(candidate);
    if (Math.abs(other.length - bare.length) > limit || other.replace(/\D/g, '') !== digits) continue;
    const typos = countSlips(bare, other, fewest);
    if (typos > fewest) continue;
    near = typos < fewest ? [candidate] : [...near, candidate];
    fewest = typos;
  }
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** A name without case and separators: Web_1 and web-1 are the same. */
export function toBareName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
