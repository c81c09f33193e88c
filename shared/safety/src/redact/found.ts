export interface SecretMatch {
  readonly kind: string;
  /** The offset of the secret's first UTF-16 unit. */
  readonly start: number;
  /** The offset after the secret. */
  readonly end: number;
}

/** Classes of characters that tokens consist of. */
export type CharClass = 'alnum' | 'upper' | 'hex' | 'word' | 'dash' | 'dotted' | 'base64' | 'path';

const CLASSES: Readonly<Record<CharClass, RegExp>> = {
  alnum: /[^A-Za-z0-9]/g,
  upper: /[^A-Z0-9]/g,
  hex: /[^0-9a-f]/g,
  word: /\W/g,
  dash: /[^\w-]/g,
  dotted: /[^\w.-]/g,
  base64: /[^\w+/=-]/g,
  path: /[^\w/-]/g,
};

/**
 * Creates a function that finds the end of a run of characters. Repeated calls within one run scan it once, so that any text takes linear
 * time.
 */
export function createRunEndFinder(text: string): (from: number, chars: CharClass) => number {
  const known = new Map<CharClass, { readonly from: number; readonly end: number }>();
  return (from, chars) => {
    const before = known.get(chars);
    if (before && before.from <= from && from <= before.end) return before.end;
    const other = CLASSES[chars];
    other.lastIndex = from;
    const end = other.exec(text)?.index ?? text.length;
    known.set(chars, { from, end });
    return end;
  };
}

/** Sorts matches and merges overlapping matches: the first match covers both. */
export function mergeMatches(matches: readonly SecretMatch[]): readonly SecretMatch[] {
  if (matches.length < 2) return matches;
  const merged: SecretMatch[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { ...last, end: match.end };
  }
  return merged;
}
