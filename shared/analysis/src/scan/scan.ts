import { groupUnread, mergeUnread, type UnreadFiles } from '@signalbox/contracts/repository/unread';
import {
  MAX_TEXT_BYTES,
  type Analyzer,
  type AnalyzerResult,
  type JsonValue,
  type FileFacts,
  type PartFacts,
} from '../analyzer.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ChurnHistory } from '../git/churn.ts';
import { isFastForward, listIntroductions, readBlobSizes, type BlobIntroduction } from '../git/past-blobs.ts';
import { CHURN_KEY, type AnalyzerCache, type ScanCache } from './cache.ts';
import { decodeParts, decodeText, detectEncoding, type NoText } from './decode-text.ts';
import { openRepository, type OpenedRepository, type ScannedCommit } from './view.ts';

export interface ScanResult {
  readonly commit: string;
  readonly files: number;
  /** Number of contents that were inspected or found in the cache. */
  readonly inspected: number;
  readonly known: number;
  readonly conclusions: Readonly<Record<string, AnalyzerResult>>;
}

/** A scanner of one commit. It reads each content once for all analyzers. */
export interface Scanner {
  /**
   * Scans with these analyzers. Inspects only contents that are not in the cache; the result is the same without a cache. A repeated
   * analyzer returns its earlier conclusion. Also resolves with the cache for the next scan.
   */
  scan(analyzers: readonly Analyzer[]): Promise<{ readonly result: ScanResult; readonly cache: ScanCache }>;
  close(): void;
}

/** Limits the time per file: `reads` is called before and after each file, and files in `without` are skipped. */
export interface ScanWatchdog {
  readonly without: ReadonlySet<string>;
  readonly reads: (path: string | null) => void;
}
const NO_WATCH: ScanWatchdog = { without: new Set(), reads: () => undefined };

/** Opens a commit for scanning. `read` returns a cache entry by name. */
export async function openScanner(
  mirror: Mirror,
  commit: ScannedCommit,
  read: (name: string) => unknown,
  watch = NO_WATCH,
): Promise<Scanner> {
  const opened = await openRepository(mirror, commit, () => read(CHURN_KEY) as ChurnHistory | null); // Only scans write this cache entry
  const readCache = (name: string): AnalyzerCache | null => read(name) as AnalyzerCache | null; // Only scans write these cache entries
  const concluded = new Map<string, Concluded>();
  let churn: ChurnHistory | null = null;
  return {
    scan: async (analyzers) => {
      const counts = { inspected: 0, known: 0 };
      const conclusions: Record<string, AnalyzerResult> = {};
      const cache: Record<string, unknown> = {};
      for (const analyzer of analyzers) {
        const { name } = analyzer;
        const again = concluded.get(name);
        const one = again ?? (await conclude(mirror, opened, { analyzer, watch, cached: readCache(name) }));
        const { conclusion } = one;
        concluded.set(name, { conclusion, inspected: 0, known: one.inspected + one.known, cache: null });
        conclusions[name] = conclusion;
        counts.inspected += one.inspected;
        counts.known += one.known;
        if (one.cache) cache[name] = one.cache;
      }
      const notes = opened.churnNotes();
      if (notes !== churn) cache[CHURN_KEY] = churn = notes;
      return { result: { commit: commit.commit, files: opened.tree.files.length, ...counts, conclusions }, cache };
    },
    close: () => opened.close(),
  };
}

/** Opens a commit, scans it once and closes it. */
export async function scanCommit(
  mirror: Mirror,
  commit: ScannedCommit,
  analyzers: readonly Analyzer[],
  cache: ScanCache = {},
): ReturnType<Scanner['scan']> {
  const scanner = await openScanner(mirror, commit, (name) => cache[name] ?? null);
  try {
    return await scanner.scan(analyzers);
  } finally {
    scanner.close();
  }
}

interface Concluded {
  readonly conclusion: AnalyzerResult;
  readonly inspected: number;
  readonly known: number;
  /** Cache entry of the analyzer; null once the new entry was returned. */
  readonly cache: AnalyzerCache | null;
}

async function conclude(
  mirror: Mirror,
  opened: OpenedRepository,
  { analyzer, watch, cached }: AnalyzerRun,
): Promise<Concluded> {
  const version = READING_VERSION * 1_000 + analyzer.version;
  const before = cached?.version === version ? cached : null;
  const { noted, counts, cache: kept } = await note(mirror, opened, { analyzer, watch, cached: before });
  const conclusion = await analyzer.conclude(noted, opened.view);
  const unread = mergeUnread([...(conclusion.unread ?? []), ...listUnread(opened, { analyzer, watch, kept })]);
  const found = inOrder(conclusion.found);
  return { conclusion: { ...conclusion, found, unread }, ...counts, cache: { ...kept, version } };
}

/** Version of how contents become texts, part of every cache entry. */
const READING_VERSION = 1;

function listUnread(
  { tree }: OpenedRepository,
  { analyzer, watch, kept }: Pick<AnalyzerRun, 'analyzer' | 'watch'> & { readonly kept: AnalyzerCache },
): readonly UnreadFiles[] {
  const wanted = tree.files.filter((file) => analyzer.wants(file));
  const large = wanted.filter(({ sizeBytes }) => sizeBytes > maxBytesOf(analyzer)).map(({ path }) => path);
  const slow = wanted.filter(({ path }) => watch.without.has(path)).map(({ path }) => path);
  const without = (reason: NoText): readonly string[] =>
    kept.current.filter(([, , , why]) => why === reason).map(([path]) => path);
  return [
    groupUnread('too-large', [...new Set([...large, ...kept.pastLarge])]),
    groupUnread('too-slow', slow),
    groupUnread('not-text', without('not-text')),
    groupUnread('elsewhere', without('elsewhere')),
  ];
}

function maxBytesOf({ maxBytes = MAX_TEXT_BYTES }: Analyzer): number {
  return maxBytes;
}

interface AnalyzerRun {
  readonly analyzer: Analyzer;
  readonly watch: ScanWatchdog;
  readonly cached: AnalyzerCache | null;
}

async function note(mirror: Mirror, opened: OpenedRepository, { analyzer, watch, cached: before }: AnalyzerRun) {
  const counts = { inspected: 0, known: 0 };
  const { tree } = opened;
  const known = new Map(
    before?.current.map(([path, blob, facts, why]) => [`${blob} ${path}`, why ? { facts, why } : { facts }]),
  );
  const inspect = async (path: string, blob: string): Promise<Inspected> => {
    const cached = known.get(`${blob} ${path}`);
    if (cached !== undefined) {
      counts.known += 1;
      return cached;
    }
    if (watch.without.has(path)) return { facts: null };
    counts.inspected += 1;
    watch.reads(path);
    const inspected = await inspectContent(analyzer, path, await opened.bytesOf(blob), () => watch.reads(path));
    watch.reads(null);
    known.set(`${blob} ${path}`, inspected);
    return inspected;
  };
  const current: [string, string, JsonValue, NoText?][] = [];
  for (const file of tree.files)
    if (file.sizeBytes <= maxBytesOf(analyzer) && analyzer.wants(file) && !watch.without.has(file.path)) {
      const { facts, why } = await inspect(file.path, file.blob);
      current.push(why ? [file.path, file.blob, facts, why] : [file.path, file.blob, facts]);
    }
  const noted: FileFacts<JsonValue>[] = current
    .filter(([, , facts]) => facts !== null)
    .map(([path, blob, facts]) => ({ path, blob, facts, commit: null, isCurrent: true }));
  const { version } = analyzer;
  if (analyzer.reach === 'commit')
    return { noted, counts, cache: { version, current, tips: [], past: [], pastLarge: [] } };
  const { tips } = await opened.refs();
  const { past, pastLarge } = await notePast(mirror, { analyzer, tips, before, inspect });
  const here = new Set(tree.files.map(({ blob }) => blob));
  for (const { path, blob, facts, commit } of past)
    if (!here.has(blob)) noted.push({ path, blob, facts, commit, isCurrent: false });
  return { noted, counts, cache: { version, current, tips, past, pastLarge } };
}

interface Inspected {
  readonly facts: JsonValue;
  /** Set when the content has no text. */
  readonly why?: NoText;
}

/** Inspects a content, in parts when it is long and the analyzer can join parts. `reads` is called before each part. */
async function inspectContent(analyzer: Analyzer, path: string, bytes: Buffer, reads: () => void): Promise<Inspected> {
  if (!analyzer.join || bytes.length <= MAX_TEXT_BYTES) {
    const text = decodeText(bytes);
    if (typeof text !== 'string') return { facts: null, why: text.why };
    return { facts: (await analyzer.inspect(path, text)) ?? null };
  }
  if (detectEncoding(bytes) === null) return { facts: null, why: 'not-text' };
  const parts: PartFacts<JsonValue>[] = [];
  for (const { text, line, wholeFrom } of decodeParts(bytes)) {
    reads();
    const facts = await analyzer.inspect(path, text);
    if (facts !== null) parts.push({ facts, line, wholeFrom });
  }
  return { facts: parts.length === 0 ? null : analyzer.join(parts) };
}

/** Returns the facts of all contents in the history: from the cache, and of newer contents. */
async function notePast(
  mirror: Mirror,
  options: {
    readonly analyzer: Analyzer;
    readonly tips: readonly string[];
    readonly before: AnalyzerCache | null;
    readonly inspect: (path: string, blob: string) => Promise<Inspected>;
  },
): Promise<Pick<AnalyzerCache, 'past' | 'pastLarge'>> {
  const { analyzer, tips, before, inspect } = options;
  const isMore = before !== null && (await isFastForward(mirror, before.tips, tips));
  const noted = new Map(isMore ? before.past.map((one) => [one.blob, one]) : []);
  const brought = new Map<string, BlobIntroduction>();
  for await (const one of listIntroductions(mirror, tips, isMore ? before.tips : [])) {
    const other = brought.get(one.blob) ?? noted.get(one.blob);
    if (other === undefined || isEarlier(one, other)) brought.set(one.blob, one);
  }
  const sizes = new Map<string, number>();
  if (brought.size > 0) for await (const [blob, size] of readBlobSizes(mirror, brought.keys())) sizes.set(blob, size);
  const pastLarge = new Set(isMore ? before.pastLarge : []);
  let largeBytes = 0;
  for (const one of brought.values()) {
    const sizeBytes = sizes.get(one.blob) ?? Infinity;
    if (!analyzer.wants({ path: one.path, sizeBytes })) continue;
    if (sizeBytes > MAX_TEXT_BYTES) largeBytes += sizeBytes;
    if (sizeBytes > maxBytesOf(analyzer) || (sizeBytes > MAX_TEXT_BYTES && largeBytes > MAX_PAST_BYTES)) {
      if (sizeBytes !== Infinity) pastLarge.add(one.path);
      continue;
    }
    const { facts } = await inspect(one.path, one.blob);
    if (facts === null) noted.delete(one.blob);
    else noted.set(one.blob, { ...one, facts });
  }
  return { past: [...noted.values()].sort((a, b) => (isEarlier(a, b) ? -1 : 1)), pastLarge: [...pastLarge].sort() };
}

/** Bytes of contents over 1 MB that one scan reads in the history; a megabyte takes up to two seconds. */
const MAX_PAST_BYTES = 100_000_000;

/** True when `one` sorts before `other`: by time, commit, path, then blob. */
function isEarlier(one: BlobIntroduction, other: BlobIntroduction): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.commit !== other.commit) return one.commit < other.commit;
  if (one.path !== other.path) return one.path < other.path;
  return one.blob < other.blob;
}

/** Sorts findings by path, line and rule. */
function inOrder(found: AnalyzerResult['found']): AnalyzerResult['found'] {
  const key = (one: AnalyzerResult['found'][number]): string =>
    [one.path, String(one.line ?? 0).padStart(9, '0'), one.rule, one.identity].join('\0');
  return found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
