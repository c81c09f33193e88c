import { z } from 'zod';

/** How much a finding matters, the least first. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** The longest evidence that is kept, in characters. */
const MAX_EVIDENCE_LENGTH = 200;

/** What an analyzer has found at one place of a commit. */
export const Found = z.object({
  /** Analyzer and rule: `secrets/private-key`. Its sentences are in the table of rules. */
  rule: z.string().regex(/^[a-z-]+\/[a-z0-9-]+$/),
  severity: Severity,
  /** Relative to the root of the repository, with slashes; `.` for the repository as a whole. */
  path: z.string().min(1).max(4_096),
  /** Counts from 1; null where the whole file is meant. */
  line: z.number().int().positive().nullable(),
  /** What stands there, in one line and without secrets; empty where there is nothing to show. */
  evidence: z.string().max(MAX_EVIDENCE_LENGTH),
  /** What fills the sentence of the rule: names and figures. */
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  /**
   * What makes it this finding and no other although lines move: together with rule and path it is the fingerprint. Never a line
   * number. Two findings of one rule in one file that are the same here are one.
   */
  identity: z.string(),
});
export type Found = z.infer<typeof Found>;
