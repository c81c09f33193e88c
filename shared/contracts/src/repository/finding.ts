import { z } from 'zod';

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

/** Maximum length of stored evidence, in characters. */
const MAX_EVIDENCE_LENGTH = 200;

/** A finding by an analyzer at one place in a commit. */
export const RawFinding = z.object({
  /** Analyzer and rule, such as `secrets/private-key`. */
  rule: z.string().regex(/^[a-z-]+\/[a-z0-9-]+$/),
  severity: Severity,
  /** Path from the root of the repository, with slashes; `.` when the finding concerns the whole repository. */
  path: z.string().min(1).max(4_096),
  /** Line number from 1; null when the finding concerns the whole file. */
  line: z.number().int().positive().nullable(),
  /** Text at that place, on one line and without secrets; may be empty. */
  evidence: z.string().max(MAX_EVIDENCE_LENGTH),
  /** Values that the rule's sentence contains. */
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  /**
   * Text that identifies the finding when lines move, so never a line number. The fingerprint is made of rule, path and identity. Two
   * findings with the same rule, path and identity are one finding.
   */
  identity: z.string(),
});
export type RawFinding = z.infer<typeof RawFinding>;
