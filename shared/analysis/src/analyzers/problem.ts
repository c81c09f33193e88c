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
