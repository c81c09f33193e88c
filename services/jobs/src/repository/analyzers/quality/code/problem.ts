import type { Severity } from '@signalbox/contracts/repository/finding';

/** What was found in one file, as it is cached. */
export type Problem = {
  /** The name of the rule behind that of the analyzer. */
  readonly rule: string;
  readonly severity: Severity;
  readonly line: number | null;
  readonly evidence: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** What it is by; two that are alike in a file get a number each. */
  readonly identity: string;
};

/** One severity less. */
export function lessen(severity: Severity): Severity {
  return LESS[severity];
}

const LESS: Readonly<Record<Severity, Severity>> = {
  critical: 'high',
  high: 'medium',
  medium: 'low',
  low: 'info',
  info: 'info',
};

/** Gives those that are alike numbers, in their order, so that each stays the finding that it was while lines move. */
export function numberAlike(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Map<string, number>();
  return problems.map((problem) => {
    const key = `${problem.rule}\n${problem.identity}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? problem : { ...problem, identity: `${problem.identity} #${count}` };
  });
}
