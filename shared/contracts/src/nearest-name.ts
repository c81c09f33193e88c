/** Maximum number of names in the sentence of an error: more do not fit on a phone. */
export const MAX_LISTED_NAMES = 10;

/** Finds the most likely known name, or null: other case, a prefix of two letters, or one typing mistake per three letters. */
export function findNearestName(typed: string, known: readonly string[]): string | null {
  const wanted = typed.trim().toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; slips: number } | null = null;
  for (const name of known) {
    const slips = wanted.length > 1 && name.startsWith(wanted) ? 0.5 : countTypos(wanted, name, limit);
    if (slips <= limit && (best === null || slips < best.slips)) best = { name, slips };
  }
  return best?.name ?? null;
}

/** Lists known names: `shop (did you mean this?), blog, … and 4 more`, or `none yet`. `total` counts names beyond `known`. */
export function formatNameList(typed: string, known: readonly string[], total = known.length): string {
  if (known.length === 0) return 'none yet';
  const near = findNearestName(typed, known);
  const rest = [...known].filter((name) => name !== near).sort();
  const names = near === null ? rest : [`${near} (did you mean this?)`, ...rest];
  const more = total - MAX_LISTED_NAMES;
  return more > 0 ? `${names.slice(0, MAX_LISTED_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

/** Signalbox's own words in place of a list of names. */
const NO_NAMES: ReadonlySet<string> = new Set([
  'none',
  'none yet',
  'none that was sent',
  'others',
  'those that were deployed',
  'ask for a list of the files',
  'it has to be sent again',
  'the handles in this conversation',
  'those of /status',
  'the ones that /status names',
]);

/** True for Signalbox's own words in place of a list of names. Pure. */
export function isInsteadOfNames(list: string): boolean {
  return NO_NAMES.has(list) || /^\d+ open ones$/.test(list);
}

/** Lists the names of a text from `formatNameList`. Pure. */
export function splitNameList(list: string): readonly string[] {
  return list
    .replace(/ and \d+ more$/, '')
    .replace(' (did you mean this?)', '')
    .split(', ');
}

/** Counts typing mistakes; two swapped neighbors are one (Damerau, optimal string alignment). Returns limit + 1 above `limit`. */
export function countTypos(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let cost = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        cost = Math.min(cost, cell(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return cell(last, to.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
