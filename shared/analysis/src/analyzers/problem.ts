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
