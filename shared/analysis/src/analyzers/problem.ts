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
