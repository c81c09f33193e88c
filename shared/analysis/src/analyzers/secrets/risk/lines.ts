import type { Severity } from '@signalbox/contracts/repository/finding';
import { toEvidence } from '../../evidence.ts';
import { createProblem, type Problem } from '../../problem.ts';

export interface LineRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly pattern: RegExp;
}

/** Maximum line length; longer lines are generated. */
const MAX_LINE_LENGTH = 2_000;
const COMMENT = /^\s*(?:#|\/\/|\*(?=[\s/]|$)|--\s|;|<!--|\/\*)/;

/** Builds the problem of a line that breaks a rule. `number`: the line number, from 1. */
export function createProblemAt({ rule, severity }: Omit<LineRule, 'pattern'>, line: string, number: number): Problem {
  const evidence = toEvidence(line);
  return createProblem(rule, severity, { line: number, evidence, values: { what: evidence }, identity: evidence });
}

/** Returns the first broken rule of each line; skips comments and long lines. */
export function findLineProblems(text: string, rules: readonly LineRule[], comment = COMMENT): readonly Problem[] {
  const lines = text.split('\n');
  // The patterns search only what can be reported: a generated line of a megabyte takes them a second.
  const written = lines.filter(({ length }) => length <= MAX_LINE_LENGTH).join('\n');
  if (!rules.some(({ pattern }) => pattern.test(written))) return [];
  return lines.flatMap((line, index) => {
    if (line.length > MAX_LINE_LENGTH || comment.test(line)) return [];
    const rule = rules.find(({ pattern }) => pattern.test(line));
    return rule ? [createProblemAt(rule, line, index + 1)] : [];
  });
}
