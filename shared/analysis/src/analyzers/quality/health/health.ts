import type { Analyzer, Noted, RepositoryView } from '../../../analyzer.ts';
import { toEvidence, toName } from '../../evidence.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../../kinds-of-files.ts';
import { findLanguage } from '../source/languages.ts';
import { isBuildFile, runsTests } from './builds.ts';
import { findCommitted, type FoundInTree } from './committed.ts';
import type { HealthFacts } from './health-facts.ts';
import { countLocks } from './locks.ts';
import { findModules } from './modules.ts';

/** Repository figures for the health score. */
export type HealthSummary = {
  readonly hasReadme: boolean;
  readonly hasBuild: boolean;
  readonly buildRunsTests: boolean;
  readonly hasIgnoreFile: boolean;
  readonly lines: number;
  readonly testLines: number;
  /** Modules with code, and those with tests; 0 when the layout shows no modules. */
  readonly modules: number;
  readonly testedModules: number;
  /** Folders with dependencies, and those with a lock file. */
  readonly manifests: number;
  readonly locked: number;
  readonly commits: number;
  readonly authors: number;
  /** Time of the newest commit, in seconds since the epoch. */
  readonly committedAt: number;
};

/** Smaller repositories need no tests or builds. */
const LEAST_LINES = 500;

/** Checks that a repository has tests, builds and a readme, and no committed artifacts. */
export const HEALTH_ANALYZER: Analyzer<HealthFacts> = {
  name: 'health',
  version: 2,
  reach: 'commit',
  wants: ({ path }) => isBuildFile(path) || (findLanguage(path) !== null && !isVendored(path) && !isGenerated(path)),
  inspect(path, text) {
    if (isBuildFile(path)) return { lines: 0, isTest: false, buildRunsTests: runsTests(text) };
    if (isGenerated(path, text)) return null;
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
        .map(toUntested),
      ...findCommitted(view.files),
    ];
    return { found: found.map(({ rule, ...one }) => ({ ...one, rule: `health/${rule}` })), summary };
  },
};

/** Marks of tests inside source files, as in Rust. */
const HOLDS_TESTS = /#\[(?:cfg\(test\)|test\]|tokio::test)|import\.meta\.vitest|^[ \t]*>>> \w/m;
const MAX_MODULES = 20;

async function summarize(noted: readonly Noted<HealthFacts>[], view: RepositoryView): Promise<HealthSummary> {
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

function findMissing(summary: HealthSummary): readonly FoundInTree[] {
  const { lines, testLines, hasBuild, buildRunsTests, hasReadme, hasIgnoreFile } = summary;
  const missing = (
    rule: string,
    severity: FoundInTree['severity'],
    values: FoundInTree['values'] = {},
  ): FoundInTree => ({
    rule,
    severity,
    path: '.',
    line: null,
    evidence: '',
    values,
    identity: '',
  });
  const hasCode = lines > LEAST_LINES;
  return [
    ...(hasCode && testLines === 0 ? [missing('no-tests', 'medium', { lines })] : []),
    ...(hasCode && !hasBuild ? [missing('no-ci', 'low')] : []),
    ...(hasBuild && !buildRunsTests && testLines > 1 ? [missing('ci-without-tests', 'medium')] : []),
    ...(lines > 0 && !hasReadme ? [missing('no-readme', 'low')] : []),
    ...(hasCode && !hasIgnoreFile ? [missing('no-ignore-file', 'info')] : []),
  ];
}

function toUntested({ path, lines }: { readonly path: string; readonly lines: number }): FoundInTree {
  return {
    rule: 'untested-module',
    severity: 'low',
    path,
    line: null,
    evidence: toEvidence(path),
    values: { module: toName(path), lines },
    identity: '',
  };
}
