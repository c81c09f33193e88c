import { findRule } from '../rules/rules.ts';
import { say } from '@signalbox/messages/say';
import type { RawFinding } from '@signalbox/contracts/repository/finding';

/** Fields of a finding that planning uses. */
export type PlannedFinding = Pick<RawFinding, 'rule' | 'severity' | 'path' | 'line' | 'values'>;

/** Effort by number of changed lines: S up to 50, M up to 300, L above. */
export type Effort = 'S' | 'M' | 'L';

/** One step of a refactoring plan, in the reader's language. */
export interface RefactoringStep {
  readonly path: string;
  /** One sentence about the change, and one about the finding that is its reason. */
  readonly what: string;
  readonly why: string;
  readonly effort: Effort;
  /** Approximate number of changed lines. */
  readonly lines: number;
  /** Rules whose findings the step fixes. */
  readonly rules: readonly string[];
}

const MAX_STEPS = 10;
const SMALL_LINES = 50;
const MEDIUM_LINES = 300;

/**
 * Kinds of steps with the rules that they fix, in the order of the plan: tests first, because they make other changes safe; then
 * complexity, copies and size.
 */
const KINDS = [
  { kind: 'tests', rules: ['health/no-tests', 'health/ci-without-tests', 'health/untested-module'] },
  {
    kind: 'simplify',
    rules: ['hot-spots/complex-and-changed', 'code/complex-function', 'code/long-function', 'code/deep-nesting'],
  },
  { kind: 'merge', rules: ['duplicates/copied-code'] },
  { kind: 'split', rules: ['code/long-file'] },
  { kind: 'parameters', rules: ['code/many-parameters'] },
] as const;

/** Files that change often come first: a finding by this rule outweighs any file size. */
const HOT = 'hot-spots/complex-and-changed';
const HOT_WEIGHT = 1_000_000;

/** Plans at most ten refactorings, most worthwhile first. Deterministic. */
export function planRefactoring(findings: readonly PlannedFinding[]): readonly RefactoringStep[] {
  const hot = new Set(findings.filter(({ rule }) => rule === HOT).map(({ path }) => path));
  const steps = KINDS.flatMap(({ kind, rules }, rank) => {
    const byPath = new Map<string, PlannedFinding[]>();
    for (const finding of findings) {
      if (!rules.some((rule) => rule === finding.rule)) continue;
      byPath.set(finding.path, [...(byPath.get(finding.path) ?? []), finding]);
    }
    return [...byPath].flatMap(([path, settled]) => {
      const reason = settled.toSorted((one, other) => rateFinding(other) - rateFinding(one))[0];
      const why = reason && findRule(reason.rule)?.say(reason.values);
      if (why === undefined) return [];
      const lines = countLines(settled);
      const weight = (hot.has(path) ? HOT_WEIGHT : 0) + settled.reduce((sum, one) => sum + rateFinding(one), 0);
      const step = { path, what: sayStep(kind, path), why, effort: toEffort(lines), lines };
      return [{ rank, weight, step: { ...step, rules: [...new Set(settled.map(({ rule }) => rule))].toSorted() } }];
    });
  });
  return steps
    .toSorted(
      (one, other) => one.rank - other.rank || other.weight - one.weight || (one.step.path < other.step.path ? -1 : 1),
    )
    .filter(limitKinds())
    .slice(0, MAX_STEPS)
    .map(({ step }) => step);
}

function limitKinds(): (one: { readonly rank: number }) => boolean {
  const counts = new Map<number, number>();
  return ({ rank }) => {
    const count = (counts.get(rank) ?? 0) + 1;
    counts.set(rank, count);
    return count <= MAX_STEPS / 2;
  };
}

/** Returns a number from the values of a finding; 0 when missing. */
function getFigure({ values }: PlannedFinding, name: string): number {
  const value = values[name];
  return typeof value === 'number' ? value : 0;
}

function rateFinding(finding: PlannedFinding): number {
  if (finding.rule === HOT) return HOT_WEIGHT + getFigure(finding, 'commits') * getFigure(finding, 'lines');
  return Math.max(
    1,
    getFigure(finding, 'complexity') * 10,
    getFigure(finding, 'lines'),
    getFigure(finding, 'depth') * 10,
  );
}

function countLines(findings: readonly PlannedFinding[]): number {
  // Counts the functions of an often-changed file; without functions, counts the file.
  const parts = findings.filter(({ rule }) => rule !== HOT);
  return (parts.length > 0 ? parts : findings).reduce((sum, one) => sum + getFigure(one, 'lines'), 0);
}

function toEffort(lines: number): Effort {
  if (lines <= SMALL_LINES) return 'S';
  return lines <= MEDIUM_LINES ? 'M' : 'L';
}

function sayStep(kind: (typeof KINDS)[number]['kind'], path: string): string {
  const isWhole = path === '.';
  return say('rules-quality.step', { kind, path: isWhole ? '' : path.replaceAll('`', "'"), isWhole });
}
