import { z } from 'zod';
import type { Severity } from '@signalbox/contracts/repository/finding';
import { say } from '@signalbox/messages/say';
import type { DocumentationSummary } from '../analyzers/documentation/documentation.ts';
import type { CodeSummary } from '../analyzers/quality/code/code.ts';
import type { DuplicatesSummary } from '../analyzers/quality/duplicates/duplicates.ts';
import type { HealthSummary } from '../analyzers/quality/health/health.ts';

/** The parts of the health score with their weights; the sum is 100. */
export const SCORE_WEIGHTS = {
  /** Tests make every other improvement safe. */
  tests: 25,
  /** Complex code attracts mistakes and slows down changes. */
  complexity: 20,
  /** Tests only help when a build runs them. */
  builds: 15,
  /** New developers begin with the documentation. */
  documentation: 15,
  /** A mistake in copied code has to be fixed several times. */
  duplicates: 10,
  /** Without pinned versions two builds of one commit differ. */
  dependencies: 10,
  /** A project without changes may be finished, so activity has the lowest weight. */
  activity: 5,
} as const;

export const ScorePart = z.enum(
  Object.keys(SCORE_WEIGHTS) as [keyof typeof SCORE_WEIGHTS, ...(keyof typeof SCORE_WEIGHTS)[]], // The keys of the table above
);
export type ScorePart = z.infer<typeof ScorePart>;

/** Health of a repository, from 0 to 100, in total and by part; null for a part without data. */
export interface HealthScore {
  readonly score: number;
  readonly parts: readonly { readonly part: ScorePart; readonly weight: number; readonly score: number | null }[];
}

export interface ScoredSummaries {
  readonly code: CodeSummary;
  readonly health: HealthSummary;
  readonly duplicates: DuplicatesSummary;
  readonly documentation: DocumentationSummary;
}

/** Lines of test per line of code for the best score; well-tested projects have at least half a line. */
const ENOUGH_TESTS = 0.5;
/** Share of code in overly complex functions at which the score is 0. */
const TOO_COMPLEX = 0.5;
/** Share of copied code: the Software Improvement Group's best rating allows 3 %, its worst begins at 20 %. */
const FEW_COPIES = 0.03;
const MANY_COPIES = 0.2;
const DAY_SECONDS = 86_400;
const ACTIVE_DAYS = 90;
const RESTING_DAYS = 730;

/** Number of open findings by severity. */
export type OpenCounts = Readonly<Partial<Record<Severity, number>>>;

/** The most points with one finding of a severity, the points that each further one costs, and the fewest that remain. */
const CAPS: readonly (readonly [severity: Severity, first: number, each: number, least: number])[] = [
  ['critical', 50, 10, 0],
  ['high', 75, 5, 40],
  ['medium', 95, 1, 70],
];

/** Limits a score by the open findings: whoever can read the key of the server does not care about the tests. */
export function limitScore(score: number, open: OpenCounts): number {
  const caps = CAPS.map(([severity, first, each, least]) => {
    const count = open[severity] ?? 0;
    return count === 0 ? 100 : Math.max(least, first - each * (count - 1));
  });
  return Math.min(score, ...caps);
}

/** Computes the score from the summaries of one scan. `nowSeconds`: current time since the epoch, for the age of the newest commit. */
export function scoreHealth(summaries: ScoredSummaries, nowSeconds: number): HealthScore {
  const { code, health, duplicates } = summaries;
  const ageDays = (nowSeconds - health.committedAt) / DAY_SECONDS;
  const scores: Readonly<Record<ScorePart, number | null>> = {
    tests: health.lines === 0 ? null : scoreTests(health),
    complexity: code.lines === 0 ? null : toPoints(code.complexLines / code.lines, TOO_COMPLEX, 0),
    builds: scoreBuilds(health),
    documentation: scoreDocumentation(summaries),
    duplicates:
      duplicates.lines === 0 ? null : toPoints(duplicates.copiedLines / duplicates.lines, MANY_COPIES, FEW_COPIES),
    dependencies: health.manifests === 0 ? null : (100 * health.locked) / health.manifests,
    activity: toPoints(ageDays, RESTING_DAYS, ACTIVE_DAYS),
  };
  const parts = ScorePart.options.map((part) => {
    const score = scores[part];
    return { part, weight: SCORE_WEIGHTS[part], score: score === null ? null : Math.round(score) };
  });
  const judged = parts.filter(({ score }) => score !== null);
  const weights = judged.reduce((sum, { weight }) => sum + weight, 0);
  const points = judged.reduce((sum, { weight, score }) => sum + weight * (score ?? 0), 0);
  return { score: Math.round(points / weights), parts };
}

export function sayScorePart(part: ScorePart): string {
  return say('rules-quality.scorePart', { part });
}

function scoreTests({ lines, testLines, modules, testedModules }: HealthSummary): number {
  const share = modules === 0 ? 1 : testedModules / modules;
  return toPoints(testLines / lines, 0, ENOUGH_TESTS) * share;
}

function scoreBuilds({ hasBuild, buildRunsTests }: HealthSummary): number {
  if (!hasBuild) return 0;
  return buildRunsTests ? 100 : 50;
}

/** Scores the readme, its commands, working links and, for a team, a contributing guide. */
function scoreDocumentation({ health, documentation }: ScoredSummaries): number {
  const { links, deadLinks, readmeHasCommands, hasContributing } = documentation;
  const living = links === 0 ? 1 : 1 - deadLinks / links;
  const isTogether = hasContributing || health.authors < 3;
  return (health.hasReadme ? 50 : 0) + (readmeHasCommands ? 25 : 0) + 15 * living + (isTogether ? 10 : 0);
}

/** Scales a value linearly from 0 points at `worst` to 100 at `best`; clamps values outside. */
function toPoints(value: number, worst: number, best: number): number {
  return 100 * Math.min(1, Math.max(0, (value - worst) / (best - worst)));
}
