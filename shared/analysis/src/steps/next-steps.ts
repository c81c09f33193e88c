import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { compareTexts } from '../analyzers/problem.ts';
import { findRule } from '../rules/rules.ts';
import type { PlannedFinding } from './refactoring-plan.ts';

/** A recommended next step, in the reader's language. */
export interface NextStep {
  readonly finding: PlannedFinding;
  /** The finding in one sentence, and the reason with the remedy. */
  readonly what: string;
  readonly why: string;
  /** Number of further findings by the same rule. */
  readonly more: number;
}

const MAX_STEPS = 5;

/** Certainty that a finding of a rule is a problem: 3 for a fact, such as a missing file; 1 for a mere size; 2 for all other rules. */
const CONFIDENCE: Readonly<Record<string, number>> = {
  'code/merge-conflict': 3,
  'code/focused-test': 3,
  'code/debug-leftover': 3,
  'code/long-file': 1,
  'code/long-function': 1,
  'code/complex-function': 1,
  'code/deep-nesting': 1,
  'code/many-parameters': 1,
  'code/commented-out-code': 1,
  'hot-spots/one-author': 1,
  'health/no-tests': 3,
  'health/no-ci': 3,
  'health/no-readme': 3,
  'health/committed-dependencies': 3,
  'documentation/dead-link': 3,
  'documentation/missing-image': 3,
};
/** Cost of fixing a finding of a rule: 1 for minutes, 3 for days, 2 for all other rules. */
const COST: Readonly<Record<string, number>> = {
  'code/merge-conflict': 1,
  'code/focused-test': 1,
  'code/debug-leftover': 1,
  'code/swallowed-error': 1,
  'code/complex-function': 3,
  'code/long-file': 3,
  'duplicates/copied-code': 3,
  'hot-spots/complex-and-changed': 3,
  'health/no-tests': 3,
  'health/untested-module': 3,
  'health/no-ignore-file': 1,
  'health/committed-junk': 1,
  'documentation/dead-link': 1,
  'documentation/dead-anchor': 1,
  'documentation/missing-image': 1,
  'documentation/unknown-script': 1,
};

/** Picks at most five findings, one per rule: by severity, then by certainty, then by low cost. Skips rules that no longer exist. */
export function findNextSteps(findings: readonly PlannedFinding[]): readonly NextStep[] {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const taken = new Set<string>();
  return findings
    .toSorted(compare)
    .flatMap((finding) => {
      const rule = findRule(finding.rule);
      if (!rule || taken.has(finding.rule)) return [];
      taken.add(finding.rule);
      return [{ finding, what: rule.say(finding.values), why: rule.why(), more: (counts.get(finding.rule) ?? 1) - 1 }];
    })
    .slice(0, MAX_STEPS);
}

function compare(one: PlannedFinding, other: PlannedFinding): number {
  return (
    SEVERITIES.indexOf(other.severity) - SEVERITIES.indexOf(one.severity) ||
    (CONFIDENCE[other.rule] ?? 2) - (CONFIDENCE[one.rule] ?? 2) ||
    (COST[one.rule] ?? 2) - (COST[other.rule] ?? 2) ||
    compareTexts(one.rule, other.rule) ||
    compareTexts(one.path, other.path) ||
    (one.line ?? 0) - (other.line ?? 0)
  );
}
