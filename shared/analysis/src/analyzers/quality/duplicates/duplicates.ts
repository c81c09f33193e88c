import type { Analyzer } from '../../../analyzer.ts';
import { toEvidence, toSafeName } from '../../evidence.ts';
import { isVendored, isGenerated, isProductCode } from '../../kinds-of-files.ts';
import { compareTexts, createProblem, numberDuplicates } from '../../problem.ts';
import { findLanguage } from '../source/languages.ts';
import { maskSpans, readSource } from '../source/read-source.ts';
import {
  hashLine,
  packLines,
  packFingerprints,
  FINGERPRINT_DIGITS,
  readFingerprintIndex,
  unpackLines,
  type HashedLines,
} from './line-hashes.ts';
import { WINDOW_LINES, selectFingerprints } from './winnow.ts';

export type DuplicatesFacts = { readonly lines: string; readonly count: number; readonly prints: string };

export type DuplicatesSummary = {
  readonly lines: number;
  readonly copiedLines: number;
  readonly copies: number;
};

/** Minimum lines of a copy. Shorter copies are often coincidental and seldom worth a function. */
const MIN_LINES = 30;
const MANY_LINES = 100;
/** Maximum lines of a compared file; longer files contain data. */
const MAX_FILE_LINES = 20_000;
/** Maximum number of places with the same text; in more places, the text is boilerplate. */
const MAX_PLACES = 12;
const MAX_FINDINGS = 200;

/** Finds code that was copied between files. Ignores comments, imports and lines without words. */
export const DUPLICATES_ANALYZER: Analyzer<DuplicatesFacts> = {
  name: 'duplicates',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => findLanguage(path) !== null && isOwnCode(path),
  inspect(path, text) {
    const language = findLanguage(path);
    if (!language || isGenerated(path, text) || isVendored(path, text)) return null;
    const { comments } = readSource(text, language);
    const lines = readComparable(maskSpans(text, comments, () => ' '));
    if (lines.length < MIN_LINES || lines.length > MAX_FILE_LINES) return null;
    const prints = selectFingerprints(Int32Array.from(lines, ({ hash }) => hash));
    return { lines: packLines(lines), count: lines.length, prints: packFingerprints(prints) };
  },
  conclude(noted) {
    const files = noted
      .map(({ path, facts }) => createFile(path, facts))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const copies = findCopies(files);
    const found = copies.slice(0, MAX_FINDINGS).map(({ from, to, length, fromIndex, toIndex }) => ({
      ...createProblem('duplicates/copied-code', length >= MANY_LINES ? 'medium' : 'low', {
        line: to.lines().numbers[toIndex] ?? 1,
        evidence: toEvidence(`${from.path}:${from.lines().numbers[fromIndex] ?? 1}`),
        values: { lines: length, other: toSafeName(from.path) },
        identity: from.path,
      }),
      path: to.path,
    }));
    return { found: numberDuplicates(found), summary: summarize(files, copies) };
  },
};

/** False for migrations, templates and translations, whose files resemble each other by nature. */
function isOwnCode(path: string): boolean {
  return (
    isProductCode(path) &&
    !/(?:^|\/)(?:migrations?|lang|langs|locales?|i18n|l10n|translations?|templates?|template-[^/]+)\/|\.d\.[cm]?ts$/i.test(
      path,
    )
  );
}

/** Matches lines without a word, and lines with which every file of a language begins. */
const TRIVIAL =
  /^(?:import\b|from\b.{0,200}\bimport\b|export\b.{0,500}\bfrom\b|package\b|using\b|use\b|#include\b|require(?:_once)?\b|namespace\b)|^(?!.*\p{L}{2})/u;
const MAX_LINE_LENGTH = 1_000;

function readComparable(text: string): readonly { readonly hash: number; readonly number: number }[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.slice(0, MAX_LINE_LENGTH).trim().replaceAll(/\s+/g, ' ');
    return words === '' || TRIVIAL.test(words) ? [] : [{ hash: hashLine(words), number: index + 1 }];
  });
}

interface File extends Pick<DuplicatesFacts, 'count' | 'prints'> {
  readonly path: string;
  /** Line hashes, unpacked on demand because few files share code. */
  readonly lines: () => HashedLines;
}

function createFile(path: string, { lines, count, prints }: DuplicatesFacts): File {
  let unpacked: HashedLines | null = null;
  return { path, count, prints, lines: () => (unpacked ??= unpackLines(lines)) };
}

interface Copy {
  readonly from: File;
  readonly fromIndex: number;
  readonly to: File;
  readonly toIndex: number;
  readonly length: number;
}

/** Lists each copy once. Of several places with equal lines, the first counts as the original. */
function findCopies(files: readonly File[]): readonly Copy[] {
  const places = new Map<string, { readonly file: File; readonly index: number }[]>();
  for (const file of files)
    for (let at = 0; at < file.prints.length; at += FINGERPRINT_DIGITS.whole) {
      const hash = file.prints.slice(at, at + FINGERPRINT_DIGITS.hash);
      const place = { file, index: readFingerprintIndex(file.prints, at) };
      const known = places.get(hash);
      if (known) known.push(place);
      else places.set(hash, [place]);
    }
  const copies: Copy[] = [];
  /** End of the known copy, by pair of files and line distance. */
  const covered = new Map<string, number>();
  for (const [first, ...others] of places.values()) {
    if (!first || others.length === 0 || others.length >= MAX_PLACES) continue;
    for (const other of others) {
      if (other.file === first.file) continue;
      const key = `${first.file.path}\n${other.file.path}\n${other.index - first.index}`;
      if ((covered.get(key) ?? -1) >= first.index) continue;
      const start = { from: first.file, fromIndex: first.index, to: other.file, toIndex: other.index };
      const copy = extend(start);
      covered.set(key, copy.fromIndex + copy.length - WINDOW_LINES);
      if (copy.length >= MIN_LINES) copies.push(copy);
    }
  }
  return withoutOverlaps(copies);
}

/** Extends a copy in both directions from a window of common lines. */
function extend({ from, to, ...start }: Omit<Copy, 'length'>): Copy {
  const [a, b] = [from.lines().hashes, to.lines().hashes];
  let { fromIndex, toIndex } = start;
  while (fromIndex > 0 && toIndex > 0 && a[fromIndex - 1] === b[toIndex - 1]) {
    fromIndex -= 1;
    toIndex -= 1;
  }
  let length = 0;
  while (fromIndex + length < a.length && toIndex + length < b.length && a[fromIndex + length] === b[toIndex + length])
    length += 1;
  return { from, fromIndex, to, toIndex, length };
}

/** Keeps the longer of two copies that overlap. */
function withoutOverlaps(copies: readonly Copy[]): readonly Copy[] {
  const taken = new Map<File, { readonly start: number; readonly end: number }[]>();
  const order = (one: Copy, other: Copy): number =>
    other.length - one.length ||
    compareTexts(one.to.path, other.to.path) ||
    compareTexts(one.from.path, other.from.path) ||
    one.toIndex - other.toIndex;
  return copies.toSorted(order).filter(({ to, toIndex, length }) => {
    const known = taken.get(to) ?? [];
    const isKnown = known.some(({ start, end }) => toIndex < end && toIndex + length > start);
    if (!isKnown) taken.set(to, [...known, { start: toIndex, end: toIndex + length }]);
    return !isKnown;
  });
}

function summarize(files: readonly File[], copies: readonly Copy[]): DuplicatesSummary {
  return {
    lines: files.reduce((sum, { count }) => sum + count, 0),
    copiedLines: copies.reduce((sum, { length }) => sum + length, 0),
    copies: copies.length,
  };
}
