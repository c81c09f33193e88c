import type { Analyzer, Churn, Noted } from '../../analyzer.ts';
import { isDocumentation, isExample, isGenerated, isTest, isVendored } from '../kinds-of-files.ts';
import { findLanguage } from './source/languages.ts';
import { readSource } from './source/read-source.ts';

/** How large a file is, and how far its lines are indented in all. */
export type HotSpotsFacts = { readonly lines: number; readonly indents: number };

/** Below any of these a file is no trouble, however it compares with the others. */
const LEAST_COMMITS_OF_YEAR = 10;
const LEAST_LINES = 200;
/** Spaces that a line is indented by on average: in a long list there are fewer. */
const LEAST_INDENT = 3;
/** A small repository has no spot that is hotter than the rest, and a young one is changed everywhere. */
const LEAST_FILES = 20;
const LEAST_AGE_SECONDS = 180 * 86_400;
/** The share of the files that can be hot. */
const TOP_SHARE = 0.05;
const MAX_HOT_SPOTS = 5;
const VERY_HOT = { commits: 40, lines: 800 };
const ISLAND_LINES = 500;
const ISLAND_AUTHORS = 3;
const MAX_ISLANDS = 5;

/**
 * Files in which work is expensive: those that are complex and often changed, after Tornhill, "Your Code as a Crime Scene", 2015. How
 * complex a file is, is told by its indentation, which measures it in any language (Hindle, Godfrey, Holt, "Reading Beside the Lines",
 * 2008). And those that one person of a team alone knows.
 */
export const HOT_SPOTS_ANALYZER: Analyzer<HotSpotsFacts> = {
  name: 'hot-spots',
  version: 2,
  reach: 'commit',
  wants: ({ path }) =>
    findLanguage(path) !== null &&
    ![isTest, isVendored, isGenerated, isExample, isDocumentation].some((is) => is(path)),
  inspect(path, text) {
    const language = findLanguage(path);
    if (!language || isGenerated(path, text)) return null;
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
    if (isYoung || files.length < LEAST_FILES) return { found: [], summary: { hotSpots: [] } };
    const hot = findHot(files);
    const islands = history.authors < ISLAND_AUTHORS ? [] : findIslands(files);
    return {
      found: [
        ...hot.map(({ path, facts, changes }) => ({
          rule: 'hot-spots/complex-and-changed',
          severity:
            changes.commitsOfYear >= VERY_HOT.commits && facts.lines >= VERY_HOT.lines
              ? ('medium' as const)
              : ('low' as const),
          path,
          line: null,
          evidence: '',
          values: { lines: facts.lines, commits: changes.commitsOfYear },
          identity: '',
        })),
        ...islands.map(({ path, facts, changes }) => ({
          rule: 'hot-spots/one-author',
          severity: 'low' as const,
          path,
          line: null,
          evidence: '',
          values: { lines: facts.lines, commits: changes.commits },
          identity: '',
        })),
      ],
      summary: {
        hotSpots: hot.map(({ path, facts, changes }) => ({ path, lines: facts.lines, commits: changes.commitsOfYear })),
      },
    };
  },
};

/** What is indented further was not indented by hand. */
const MAX_INDENT = 80;
const TAB_WIDTH = 4;

function measureIndent(line: string): number {
  const space = line.slice(0, line.length - line.trimStart().length).slice(0, MAX_INDENT);
  return space.length + (TAB_WIDTH - 1) * (space.split('\t').length - 1);
}

interface Changed extends Pick<Noted<HotSpotsFacts>, 'path' | 'facts'> {
  readonly changes: Churn;
}

function findHot(files: readonly Changed[]): readonly Changed[] {
  const heat = ({ facts, changes }: Changed): number => facts.indents * changes.commitsOfYear;
  const most = Math.min(MAX_HOT_SPOTS, Math.ceil(files.length * TOP_SHARE));
  return order(
    files.filter(
      ({ facts, changes }) =>
        changes.commitsOfYear >= LEAST_COMMITS_OF_YEAR &&
        facts.lines >= LEAST_LINES &&
        facts.indents >= LEAST_INDENT * facts.lines,
    ),
    heat,
  ).slice(0, most);
}

function findIslands(files: readonly Changed[]): readonly Changed[] {
  const islands = files.filter(
    ({ facts, changes }) =>
      changes.authors === 1 && changes.commitsOfYear >= LEAST_COMMITS_OF_YEAR && facts.lines >= ISLAND_LINES,
  );
  return order(islands, ({ facts, changes }) => facts.lines * changes.commits).slice(0, MAX_ISLANDS);
}

function order(files: readonly Changed[], weigh: (one: Changed) => number): readonly Changed[] {
  return files.toSorted((one, other) => weigh(other) - weigh(one) || (one.path < other.path ? -1 : 1));
}
