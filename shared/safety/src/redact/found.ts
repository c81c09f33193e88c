/** A secret in a text: where it stands, and the name of its kind. */
export interface SecretMatch {
  readonly kind: string;
  /** First UTF-16 unit. */
  readonly start: number;
  /** Behind the last one. */
  readonly end: number;
}

/** Characters that a run consists of. */
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
 * Finds where runs of characters end in one text. Asking from several places within one run costs one look at the run, so that a
 * text which is all beginnings is still read in linear time.
 */
export function createRuns(text: string): (from: number, chars: CharClass) => number {
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

/** In order of their places, without overlaps: of two that overlap the one that begins first stands, and reaches over both. */
export function mergeFound(found: readonly SecretMatch[]): readonly SecretMatch[] {
  if (found.length < 2) return found;
  const merged: SecretMatch[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || one.start >= last.end) merged.push(one);
    else if (one.end > last.end) merged[merged.length - 1] = { ...last, end: one.end };
  }
  return merged;
}
