import { z } from 'zod';

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** Longest stored evidence, in characters. */
const MAX_EVIDENCE_LENGTH = 200;

/** A finding of an analyzer at one location of a commit. */
export const RawFinding = z.object({
  /** Analyzer and rule: `secrets/private-key`. */
  rule: z.string().regex(/^[a-z-]+\/[a-z0-9-]+$/),
  severity: Severity,
  /** Relative to the root of the repository, with slashes; `.` for the repository as a whole. */
  path: z.string().min(1).max(4_096),
  /** Line from 1; null for the whole file. */
  line: z.number().int().positive().nullable(),
  /** The text at the location, on one line and without secrets; may be empty. */
  evidence: z.string().max(MAX_EVIDENCE_LENGTH),
  /** Values for the rule's sentence. */
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  /**
   * Identifies the finding although lines move: the fingerprint consists of rule, path and identity. Never a line number. Findings of one
   * rule and file with equal identity are the same finding.
   */
  identity: z.string(),
});
export type RawFinding = z.infer<typeof RawFinding>;
