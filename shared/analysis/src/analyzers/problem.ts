import type { Severity } from '@signalbox/contracts/repository/finding';

/** A problem that an analyzer found in one file, as stored in the cache. */
export type Problem = {
  readonly rule: string;
  readonly severity: Severity;
  readonly line: number | null;
  readonly evidence: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** Text that identifies the problem within the file; problems with equal texts are numbered. */
  readonly identity: string;
};

/** Builds a problem; by default the line is null and all other parts are empty. */
export function createProblem(
  rule: string,
  severity: Severity,
  parts: Partial<Omit<Problem, 'rule' | 'severity'>> = {},
): Problem {
  return { rule, severity, line: null, evidence: '', values: {}, identity: '', ...parts };
}

/** Returns the next lower severity, and `info` for `info`. */
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

/** Orders texts by UTF-16 code units, so that the order is the same in every locale. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Numbers equal problems in file order, so that each keeps its fingerprint when lines move. */
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
