import type { FileFacts, RepositoryFile } from '../../../analyzer.ts';
import { isExample, isTest, isVendored } from '../../kinds-of-files.ts';

export type HealthFacts = {
  /** Number of non-blank lines of code. */
  readonly lines: number;
  /** True for a test file or code with inline tests. */
  readonly isTest: boolean;
  /** True when this CI file runs tests; null when the file is not a CI file. */
  readonly buildRunsTests: boolean | null;
};

/** A folder of a repository with its own manifest. */
export interface Module {
  readonly path: string;
  readonly lines: number;
  readonly isTested: boolean;
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|pyproject\.toml|[^/]+\.csproj)$/;
/** Folder names of tools for builds and documentation. */
const TOOLING =
  /(?:^|[._-])(?:docs?|website|site|build|build-?logic|buildSrc|tools?|tooling|scripts?|config|configs|ci|benchmarks?)(?:[._-]|$)/i;
/** Minimum lines of a module; a smaller module may be tested through another one. */
const MIN_LINES = 500;

/** Lists the modules of a repository; empty when the layout is unclear or most modules have no tests, which then are elsewhere. */
export function findModules(
  noted: readonly FileFacts<HealthFacts>[],
  files: readonly Pick<RepositoryFile, 'path'>[],
): readonly Module[] {
  const folders = files
    .filter(
      ({ path }) => MANIFEST.test(path) && path.includes('/') && !isTest(path) && !isExample(path) && !isVendored(path),
    )
    .map(({ path }) => path.slice(0, path.lastIndexOf('/')))
    .filter((folder) => !TOOLING.test(folder.slice(folder.lastIndexOf('/') + 1)));
  const known = new Set(folders);
  const counts = new Map<string, { lines: number; isTested: boolean }>();
  const testFolders = new Set<string>();
  for (const { path, facts } of noted) {
    if (facts.isTest) for (const part of path.split('/').slice(0, -1)) testFolders.add(part.toLowerCase());
    const folder = findFolder(path, known);
    if (folder === null) continue;
    const count = counts.get(folder) ?? { lines: 0, isTested: false };
    counts.set(folder, count);
    if (facts.isTest) count.isTested = true;
    if (!isTest(path)) count.lines += facts.lines;
  }
  const named = [...testFolders].join('\n');
  const modules = [...counts]
    .filter(([, { lines }]) => lines >= MIN_LINES)
    // `Shop.Tests` and `tests/shop` both test `Shop`.
    .map(([path, { lines, isTested }]) => ({
      path,
      lines,
      isTested: isTested || `\n${named}`.includes(`\n${path.slice(path.lastIndexOf('/') + 1).toLowerCase()}`),
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const tested = modules.filter(({ isTested }) => isTested).length;
  return modules.length >= 2 && tested * 2 >= modules.length ? modules : [];
}

function findFolder(path: string, known: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end);
    if (known.has(folder)) return folder;
  }
  return null;
}
