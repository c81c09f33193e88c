import type { Analyzer, FileChurn, FileFacts } from '../../analyzer.ts';
import { isVendored, isGenerated, isProductCode } from '../kinds-of-files.ts';
import { createProblem } from '../problem.ts';
import { findLanguage } from './source/languages.ts';
import { readSource } from './source/read-source.ts';

/** Number of lines, and the sum of their indentation levels. */
export type HotSpotsFacts = { readonly lines: number; readonly indents: number };

/** Minimum commits per year; a file below any of these limits is never reported. */
const MIN_COMMITS_PER_YEAR = 10;
const MIN_LINES = 200;
/** Minimum average indentation in spaces; long lists have less. */
const MIN_INDENT = 3;
/** Minimum number of files; hot spots of smaller repositories mean nothing. */
const MIN_FILES = 20;
const LEAST_AGE_SECONDS = 180 * 86_400;
/** Maximum share of files that are reported. */
const TOP_SHARE = 0.05;
const MAX_HOT_SPOTS = 5;
const VERY_HOT = { commits: 40, lines: 800 };
const ISLAND_LINES = 500;
const ISLAND_AUTHORS = 3;
const MAX_ISLANDS = 5;

/** Finds often-changed complex files (Tornhill, 2015), measured by indentation (Hindle et al., 2008), and files with one author. */
export const HOT_SPOTS_ANALYZER: Analyzer<HotSpotsFacts> = {
  name: 'hot-spots',
  version: 3,
  reach: 'commit',
  wants: ({ path }) => findLanguage(path) !== null && isProductCode(path),
  inspect(path, text) {
    const language = findLanguage(path);
    if (!language || isGenerated(path, text) || isVendored(path, text)) return null;
    const lines = readSource(text, language)
      .code.split('\n')
      .filter((line) => line.trim() !== '');
    const widths = lines.map((line) => Math.min(MAX_INDENT, measureIndent(line)));
    return { lines: lines.length, indents: widths.reduce((sum, width) => sum + width, 0) };
  },
  async conclude(noted, view) {
    const [churn, history] = [await view.churn(), await view.history()];
    const isYoung = view.committedAt - history.firstAt < LEAST_AGE_SECONDS;
    const files = noted.flatMap(({ path, facts }) => {
      const changes = churn.get(path);
      return changes ? [{ path, facts, changes }] : [];
    });
    if (isYoung || files.length < MIN_FILES) return { found: [], summary: { hotSpots: [] } };
    const hot = findHot(files).map(({ path, facts, changes }) => ({
      path,
      values: { lines: facts.lines, commits: changes.commitsOfYear },
    }));
    const islands = history.authors < ISLAND_AUTHORS ? [] : findIslands(files);
    return {
      found: [
        ...hot.map(({ path, values }) => {
          const isVeryHot = values.commits >= VERY_HOT.commits && values.lines >= VERY_HOT.lines;
          return {
            ...createProblem('hot-spots/complex-and-changed', isVeryHot ? 'medium' : 'low', { values }),
            path,
          };
        }),
        ...islands.map(({ path, facts, changes }) => {
          const values = { lines: facts.lines, commits: changes.commits };
          return { ...createProblem('hot-spots/one-author', 'low', { values }), path };
        }),
      ],
      summary: { hotSpots: hot.map(({ path, values }) => ({ path, ...values })) },
    };
  },
};

/** Maximum indentation; lines with more are generated. */
const MAX_INDENT = 80;
const TAB_WIDTH = 4;

function measureIndent(line: string): number {
  const space = line.slice(0, line.length - line.trimStart().length).slice(0, MAX_INDENT);
  return space.length + (TAB_WIDTH - 1) * (space.split('\t').length - 1);
}

interface Changed extends Pick<FileFacts<HotSpotsFacts>, 'path' | 'facts'> {
  readonly changes: FileChurn;
}

function findHot(files: readonly Changed[]): readonly Changed[] {
  const hot = files.filter(
    ({ facts, changes }) =>
      changes.commitsOfYear >= MIN_COMMITS_PER_YEAR &&
      facts.lines >= MIN_LINES &&
      facts.indents >= MIN_INDENT * facts.lines,
  );
  const max = Math.min(MAX_HOT_SPOTS, Math.ceil(files.length * TOP_SHARE));
  return sortBy(hot, ({ facts, changes }) => facts.indents * changes.commitsOfYear).slice(0, max);
}

function findIslands(files: readonly Changed[]): readonly Changed[] {
  const islands = files.filter(
    ({ facts, changes }) =>
      changes.authors === 1 && changes.commitsOfYear >= MIN_COMMITS_PER_YEAR && facts.lines >= ISLAND_LINES,
  );
  return sortBy(islands, ({ facts, changes }) => facts.lines * changes.commits).slice(0, MAX_ISLANDS);
}

/** Sorts by a figure, largest first, and by path when figures are equal. */
function sortBy(files: readonly Changed[], getFigure: (one: Changed) => number): readonly Changed[] {
  return files.toSorted((one, other) => getFigure(other) - getFigure(one) || (one.path < other.path ? -1 : 1));
}
