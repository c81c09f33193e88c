import type { Severity } from '@signalbox/contracts/repository/finding';

/** A problem in one file, as cached. */
export type Problem = {
  readonly rule: string;
  readonly severity: Severity;
  readonly line: number | null;
  readonly evidence: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** Identity within the file; equal ones are numbered. */
  readonly identity: string;
};

/** Builds a problem; the line is null and all other parts are empty unless given. */
export function createProblem(
  rule: string,
  severity: Severity,
  parts: Partial<Omit<Problem, 'rule' | 'severity'>> = {},
): Problem {
  return { rule, severity, line: null, evidence: '', values: {}, identity: '', ...parts };
}

/** Returns the next lower severity; `info` stays. */
export function lowerSeverity(severity: Severity): Severity {
  return LESS[severity];
}

const LESS: Readonly<Record<Severity, Severity>> = {
  critical: 'high',
  high: 'medium',
  medium: 'low',
  low: 'info',
  info: 'info',
};

/** Orders texts by their UTF-16 units, the same in every locale. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Numbers equal problems in order, so that each keeps its fingerprint when lines move. */
export function numberDuplicates<
  P extends { readonly rule: string; readonly identity: string; readonly path?: string },
>(problems: readonly P[]): readonly P[] {
  const seen = new Map<string, number>();
  return problems.map((problem) => {
    const key = `${problem.path ?? ''}\n${problem.rule}\n${problem.identity}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? problem : { ...problem, identity: `${problem.identity} #${count}` };
  });
}
