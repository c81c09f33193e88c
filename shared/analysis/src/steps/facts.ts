import { z } from 'zod';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { RefactoringPlan } from './planning.ts';
import { HealthOutput } from './health-score.ts';
import { sayScorePart } from './score.ts';

/** Chains that describe a repository in addition to finding problems. */
const OVERVIEWS: readonly ChainName[] = ['discovery_analysis', 'full_analysis'];
const PLANS: readonly ChainName[] = ['tech_debt'];
const LANGUAGES_SHOWN = 5;
const PARTS_SHOWN = 3;
const STEPS_SHOWN = 3;
/** Parts of the health score with fewer points are mentioned. */
const GOOD_SCORE = 70;

const Discovery = z.object({
  files: z.number(),
  history: z.object({ commits: z.number(), authors: z.number(), firstAt: z.number() }),
});
const Names = z.array(z.string()).default([]);
const Stack = z.object({
  languages: z.array(z.object({ name: z.string(), percent: z.number() })),
  frameworks: Names,
  databases: Names,
  tests: Names,
  ci: Names,
});

/** Returns what the steps of a chain measured, as one sentence each. `outputs`: the output of each step, by name. */
export function sayMeasurements(chain: ChainName, outputs: ReadonlyMap<string, unknown>): string[] {
  const isOverview = OVERVIEWS.includes(chain);
  const isPlan = PLANS.includes(chain);
  return [
    ...(isOverview ? [...saySize(outputs.get('discovery')), ...sayStack(outputs.get('stack_map'))] : []),
    ...(isOverview || isPlan ? sayHealth(outputs.get('health_score')) : []),
    ...(isPlan ? sayPlan(outputs.get('refactor_planner')) : []),
  ].map((fact) => fact.slice(0, 1_000));
}

function saySize(output: unknown): readonly string[] {
  const { data } = z.object({ summaries: z.object({ discovery: Discovery }) }).safeParse(output);
  if (!data) return [];
  const { files, history } = data.summaries.discovery;
  const since = new Date(history.firstAt * 1_000).toISOString().slice(0, 10);
  return [say('findings.size', { files, commits: history.commits, authors: history.authors, since })];
}

function sayStack(output: unknown): readonly string[] {
  const { data } = z.object({ summaries: z.object({ stack: Stack }) }).safeParse(output);
  if (!data) return [];
  const { languages, frameworks, databases, tests, ci } = data.summaries.stack;
  const shares = languages.slice(0, LANGUAGES_SHOWN).map(({ name, percent }) => `${toPlainName(name)} ${percent} %`);
  const tools = [...frameworks, ...databases, ...tests, ...ci].map(toPlainName);
  return [
    ...(shares.length === 0 ? [] : [say('findings.languages', { languages: shares.join(', ') })]),
    ...(tools.length === 0 ? [] : [say('findings.tools', { tools: tools.join(', ') })]),
  ];
}

function sayHealth(output: unknown): readonly string[] {
  const { data } = HealthOutput.safeParse(output);
  if (!data) return [];
  const weak = data.parts
    .flatMap(({ part, score }) => (score === null || score >= GOOD_SCORE ? [] : [{ part, score }]))
    .toSorted((one, other) => one.score - other.score)
    .slice(0, PARTS_SHOWN)
    .map(({ part, score }) => `${sayScorePart(part)} (${score})`);
  return [
    say('findings.health', {
      score: data.score,
      open: (data.open.critical ?? 0) + (data.open.high ?? 0),
      weak: weak.join(', ') || 'none',
    }),
  ];
}

function sayPlan(output: unknown): readonly string[] {
  const { data } = RefactoringPlan.safeParse(output);
  return (data?.steps ?? [])
    .slice(0, STEPS_SHOWN)
    .map(({ what, why, effort }) => say('findings.planned', { what, why, effort }));
}
