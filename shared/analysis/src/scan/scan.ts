import { MAX_TEXT_BYTES, type Analyzer, type AnalyzerResult, type JsonValue, type FileFacts } from '../analyzer.ts';
import type { Mirror } from '../git/start-git.ts';
import type { ChurnHistory } from '../git/churn.ts';
import { isFastForward, listIntroductions, readBlobSizes, type BlobIntroduction } from '../git/past-blobs.ts';
import { CHURN_KEY, type AnalyzerCache, type ScanCache } from './cache.ts';
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
  const before = cached?.version === analyzer.version ? cached : null;
  const { noted, counts, cache } = await note(mirror, opened, { analyzer, watch, cached: before });
  const conclusion = await analyzer.conclude(noted, opened.view);
  const unread = opened.tree.files.filter((file) => watch.without.has(file.path) && analyzer.wants(file));
  const found = inOrder(conclusion.found);
  return { conclusion: { ...conclusion, found, unread: unread.map(({ path }) => path) }, ...counts, cache };
}

interface AnalyzerRun {
  readonly analyzer: Analyzer;
  readonly watch: ScanWatchdog;
  readonly cached: AnalyzerCache | null;
}

async function note(mirror: Mirror, opened: OpenedRepository, { analyzer, watch, cached: before }: AnalyzerRun) {
  const counts = { inspected: 0, known: 0 };
  const { tree, textOf } = opened;
  const known = new Map(before?.current.map(([path, blob, facts]) => [`${blob} ${path}`, facts]));
  const inspect = async (path: string, blob: string, sizeBytes: number): Promise<JsonValue> => {
    const cached = known.get(`${blob} ${path}`);
    if (cached !== undefined) {
      counts.known += 1;
      return cached;
    }
    if (watch.without.has(path)) return null;
    counts.inspected += 1;
    watch.reads(path);
    const text = await textOf(blob, sizeBytes);
    const facts = text === null ? null : ((await analyzer.inspect(path, text)) ?? null);
    watch.reads(null);
    known.set(`${blob} ${path}`, facts);
    return facts;
  };
  const current: [string, string, JsonValue][] = [];
  for (const file of tree.files)
    if (file.sizeBytes <= MAX_TEXT_BYTES && analyzer.wants(file) && !watch.without.has(file.path))
      current.push([file.path, file.blob, await inspect(file.path, file.blob, file.sizeBytes)]);
  const noted: FileFacts<JsonValue>[] = current
    .filter(([, , facts]) => facts !== null)
    .map(([path, blob, facts]) => ({ path, blob, facts, commit: null, isCurrent: true }));
  const { version } = analyzer;
  if (analyzer.reach === 'commit') return { noted, counts, cache: { version, current, tips: [], past: [] } };
  const { tips } = await opened.refs();
  const past = await notePast(mirror, { analyzer, tips, before, inspect });
  const here = new Set(tree.files.map(({ blob }) => blob));
  for (const { path, blob, facts, commit } of past)
    if (!here.has(blob)) noted.push({ path, blob, facts, commit, isCurrent: false });
  return { noted, counts, cache: { version, current, tips, past } };
}

/** Returns the facts of all contents in the history: from the cache, and of newer contents. */
async function notePast(
  mirror: Mirror,
  options: {
    readonly analyzer: Analyzer;
    readonly tips: readonly string[];
    readonly before: AnalyzerCache | null;
    readonly inspect: (path: string, blob: string, sizeBytes: number) => Promise<JsonValue>;
  },
): Promise<AnalyzerCache['past']> {
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
  for (const one of brought.values()) {
    const sizeBytes = sizes.get(one.blob) ?? Infinity;
    if (sizeBytes > MAX_TEXT_BYTES || !analyzer.wants({ path: one.path, sizeBytes })) continue;
    const facts = await inspect(one.path, one.blob, sizeBytes);
    if (facts === null) noted.delete(one.blob);
    else noted.set(one.blob, { ...one, facts });
  }
  return [...noted.values()].sort((a, b) => (isEarlier(a, b) ? -1 : 1));
}

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
