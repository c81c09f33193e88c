import { createHash } from 'node:crypto';
import type {
  Analyzer,
  FileChurn,
  AnalyzerResult,
  JsonValue,
  FileFacts,
  RepositoryReader,
} from '@signalbox/analysis/analyzer';
import { RawFinding } from '@signalbox/contracts/repository/finding';

/** A scan of a few files by one analyzer, without git: for the rules of an analyzer alone. */
export async function analyze<F extends JsonValue>(
  analyzer: Analyzer<F>,
  texts: Readonly<Record<string, string>>,
  more: Partial<Omit<RepositoryReader, 'text' | 'churn'>> & {
    readonly churn?: Readonly<Record<string, Partial<FileChurn>>>;
  } = {},
): Promise<AnalyzerResult> {
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    blob: createHash('sha1').update(text).digest('hex'),
    sizeBytes: Buffer.byteLength(text),
    isExecutable: false,
  }));
  const noted: FileFacts<F>[] = [];
  for (const file of files) {
    if (!analyzer.wants(file)) continue;
    const facts = await analyzer.inspect(file.path, texts[file.path] ?? '');
    // As the cache has it: what JSON does not hold is lost.
    if (facts !== null)
      noted.push({
        path: file.path,
        blob: file.blob,
        facts: JSON.parse(JSON.stringify(facts)) as F,
        commit: null,
        isCurrent: true,
      });
  }
  const { churn = {}, ...rest } = more;
  const unchanged: FileChurn = { commitsOfYear: 1, commits: 1, linesOfYear: 1, authors: 1, firstAt: 0, lastAt: 0 };
  const conclusion = await analyzer.conclude(noted, {
    commit: '0'.repeat(40),
    committedAt: Date.UTC(2026, 0, 1) / 1_000,
    files,
    links: [],
    submodules: [],
    advisories: null,
    text: (path) => Promise.resolve(texts[path] ?? null),
    churn: () => Promise.resolve(new Map(Object.entries(churn).map(([path, one]) => [path, { ...unchanged, ...one }]))),
    history: () => Promise.resolve({ commits: 1, authors: 1, firstAt: 0, branches: 1, tags: 0 }),
    ...rest,
  });
  for (const found of conclusion.found) RawFinding.parse(found);
  return conclusion;
}
