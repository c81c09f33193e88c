import type { Analyzer, FileFacts, RepositoryFile, RepositoryReader } from '../../../analyzer.ts';
import { joinPatterns } from '../../any-of.ts';
import { toSafeName } from '../../evidence.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../../kinds-of-files.ts';
import { findLanguage } from '../source/languages.ts';
import { createProblem } from '../../problem.ts';
import { createPathFinding, findCommittedArtifacts, type PathFinding } from './committed.ts';
import { findModules, type HealthFacts } from './modules.ts';

/** Figures on the repository for the health score. */
export type HealthSummary = {
  readonly hasReadme: boolean;
  readonly hasBuild: boolean;
  readonly buildRunsTests: boolean;
  readonly hasIgnoreFile: boolean;
  readonly lines: number;
  readonly testLines: number;
  /** Number of modules with code, and of modules with tests; 0 when the layout shows no modules. */
  readonly modules: number;
  readonly testedModules: number;
  /** Number of ecosystems with dependencies, and of those with a lock file. */
  readonly manifests: number;
  readonly locked: number;
  readonly commits: number;
  readonly authors: number;
  /** Time of the newest commit, in seconds since the epoch. */
  readonly committedAt: number;
};

/** Minimum lines of code; smaller repositories need no tests or builds. */
const MIN_LINES = 500;

/** Checks that a repository has tests, builds and a readme, and no committed artifacts. */
export const HEALTH_ANALYZER: Analyzer<HealthFacts> = {
  name: 'health',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => isBuildFile(path) || (findLanguage(path) !== null && !isVendored(path) && !isGenerated(path)),
  inspect(path, text) {
    if (isBuildFile(path))
      return { lines: 0, isTest: false, buildRunsTests: MAY_TEST.test(text.replaceAll(/(?:^|\s)#.*$/gm, '')) };
    if (isGenerated(path, text) || isVendored(path, text)) return null;
    const isTestFile = isTest(path);
    const lines =
      isExample(path) || isDocumentation(path) ? 0 : text.split('\n').filter((line) => line.trim() !== '').length;
    return { lines, isTest: isTestFile || HOLDS_TESTS.test(text), buildRunsTests: null };
  },
  async conclude(noted, view) {
    const summary = await summarize(noted, view);
    const found = [
      ...findMissing(summary),
      ...findModules(noted, view.files)
        .filter(({ isTested }) => !isTested)
        .slice(0, MAX_MODULES)
        .map(({ path, lines }) =>
          createPathFinding('untested-module', 'low', path, { module: toSafeName(path), lines }),
        ),
      ...findCommittedArtifacts(view.files),
    ];
    return { found: found.map(({ rule, ...one }) => ({ ...one, rule: `health/${rule}` })), summary };
  },
};

/** Markers of tests inside source files, as in Rust. */
const HOLDS_TESTS = /#\[(?:cfg\(test\)|test\]|tokio::test)|import\.meta\.vitest|^[ \t]*>>> \w/m;
const MAX_MODULES = 20;

async function summarize(noted: readonly FileFacts<HealthFacts>[], view: RepositoryReader): Promise<HealthSummary> {
  const { commits, authors } = await view.history();
  const builds = noted.flatMap(({ facts }) => (facts.buildRunsTests === null ? [] : [facts.buildRunsTests]));
  const sum = (isForTests: boolean): number =>
    noted.reduce((all, { path, facts }) => all + (isTest(path) === isForTests ? facts.lines : 0), 0);
  const modules = findModules(noted, view.files);
  return {
    hasReadme: view.files.some(({ path }) => /^(?:\.github\/|docs\/)?readme(?:\.\w+)?$/i.test(path)),
    hasBuild: builds.length > 0,
    buildRunsTests: builds.includes(true),
    hasIgnoreFile: view.files.some(({ path }) => path === '.gitignore'),
    lines: sum(false),
    testLines: noted.some(({ facts }) => facts.isTest) ? Math.max(1, sum(true)) : 0,
    modules: modules.length,
    testedModules: modules.filter(({ isTested }) => isTested).length,
    ...countLocks(view.files),
    commits,
    authors,
    committedAt: view.committedAt,
  };
}

function findMissing(summary: HealthSummary): readonly PathFinding[] {
  const { lines, testLines, hasBuild, buildRunsTests, hasReadme, hasIgnoreFile } = summary;
  const missing = (...parts: Parameters<typeof createProblem>): PathFinding => ({
    ...createProblem(...parts),
    path: '.',
  });
  const hasCode = lines > MIN_LINES;
  return [
    ...(hasCode && testLines === 0 ? [missing('no-tests', 'medium', { values: { lines } })] : []),
    ...(hasCode && !hasBuild ? [missing('no-ci', 'low')] : []),
    ...(hasBuild && !buildRunsTests && testLines > 1 ? [missing('ci-without-tests', 'medium')] : []),
    ...(lines > 0 && !hasReadme ? [missing('no-readme', 'low')] : []),
    ...(hasCode && !hasIgnoreFile ? [missing('no-ignore-file', 'info')] : []),
  ];
}

const ECOSYSTEMS: readonly { readonly manifest: RegExp; readonly lock: RegExp }[] = [
  {
    manifest: /^package\.json$/,
    lock: /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
  },
  {
    manifest: /^(?:pyproject\.toml|Pipfile)$/,
    lock: /^(?:poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pylock\.toml)$/,
  },
  { manifest: /^Cargo\.toml$/, lock: /^Cargo\.lock$/ },
  { manifest: /^go\.mod$/, lock: /^go\.sum$/ },
  { manifest: /^Gemfile$/, lock: /^Gemfile\.lock$/ },
  { manifest: /^composer\.json$/, lock: /^composer\.lock$/ },
  { manifest: /^mix\.exs$/, lock: /^mix\.lock$/ },
  { manifest: /^pubspec\.yaml$/, lock: /^pubspec\.lock$/ },
];

/** Counts the used ecosystems, and those with a lock file in any folder, because workspaces share one. */
function countLocks(files: readonly Pick<RepositoryFile, 'path'>[]): Pick<HealthSummary, 'manifests' | 'locked'> {
  const names = new Set(
    files
      .filter(({ path }) => !isVendored(path) && !isTest(path) && !isExample(path))
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
  );
  const has = (pattern: RegExp): boolean => [...names].some((name) => pattern.test(name));
  const used = ECOSYSTEMS.filter(({ manifest }) => has(manifest));
  return { manifests: used.length, locked: used.filter(({ lock }) => has(lock)).length };
}

/** Configuration files of common CI systems. */
const BUILD_FILES = joinPatterns(
  /^(?:\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.gitlab\/ci\/[^/]+\.ya?ml)$/,
  /^(?:\.circleci\/config\.ya?ml|\.?azure-pipelines(?:[.-][\w.-]*)?\.ya?ml|\.azure\/[^/]+\.ya?ml)$/,
  /^(?:\.azuredevops\/[^/]+\.ya?ml|\.travis\.ya?ml|\.?appveyor\.ya?ml|\.drone\.ya?ml)$/,
  /^(?:\.woodpecker(?:\/[^/]+)?\.ya?ml|\.buildkite\/[^/]+|bitbucket-pipelines\.ya?ml|\.cirrus\.ya?ml)$/,
  /^(?:\.semaphore\/[^/]+|Jenkinsfile(?:\.\w+)?|\.teamcity\/.+|\.builds?\/[^/]+\.ya?ml|\.sourcehut\/.+)$/,
  /^(?:\.build\.ya?ml|\.ci\/[^/]+|ci\/[^/]+\.ya?ml|cloudbuild\.ya?ml|codefresh\.ya?ml|\.kokoro\/.+)$/,
  /^(?:buildspec\.ya?ml|\.screwdriver\.ya?ml|\.zuul\.ya?ml|\.prow\.ya?ml)$/,
);

function isBuildFile(path: string): boolean {
  return BUILD_FILES.test(path);
}

/** Commands that may run tests. The list is broad, because only a build without any of them is reported. */
const MAY_TEST = joinPatterns(
  /test|spec\b|\bcheck\b|verify|\btox\b|\bnox\b|coverage|\bmvnw?\b|gradle|\bmake\b|\bmage\b|\brake\b|bazel/im,
  /\bsbt\b|\bnix\b|\bjust\b|\btask\b|earthly|dagger|\bninja\b|\bctest\b|cargo build|dotnet|\bci\b|e2e/im,
  /cypress|playwright|uses:\s*['"]?[\w.-]+\/[\w.-]+\/\.github\/workflows|uses:\s*['"]?\.\/|^include:/im,
  /template:|scripts?\/|\.sh\b/im,
);
