import { z } from 'zod';
import { ChainFetchResult } from '../repository/chain-run.ts';

/*
 * A change to code: asked for by a person, made in a work tree, tested, criticized, approved as a diff, and published as a branch and a
 * pull request.
 *
 *   working ─┬─ a node asks the person ──▶ asking ── their answer ──▶ working
 *            ├─ the diff stands ─────────▶ proposed ── approved ──▶ opened
 *            ├─ it cannot be done ───────▶ failed
 *            └─ /stop ───────────────────▶ stopped
 */
export const ChangeState = z.enum(['working', 'asking', 'proposed', 'opened', 'failed', 'stopped']);
export type ChangeState = z.infer<typeof ChangeState>;

/** Who makes the edits: the nodes of a model, or a fix of a finding that needs no model. */
export const ChangeSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('task'), text: z.string().min(1).max(8_000) }),
  z.object({ kind: z.literal('finding'), findingId: z.string().regex(/^\d{1,18}$/) }),
]);
export type ChangeSource = z.infer<typeof ChangeSource>;

/** Nodes of a run. The runtime checks out, tests and builds the diff; the others are models with a prompt and powers of their own. */
export const ChangeNode = z.enum(['planner', 'executor', 'critic', 'runtime', 'person']);
export type ChangeNode = z.infer<typeof ChangeNode>;

/** A file of a diff, with its changed lines. */
export const ChangedFile = z.object({
  path: z.string().max(1_000),
  change: z.enum(['created', 'changed', 'deleted']),
  added: z.int(),
  removed: z.int(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** One command of the checks and how it ended. */
export const ChangeCheck = z.object({
  kind: z.enum(['dependencies', 'build', 'test']),
  command: z.string().max(1_000),
  exitCode: z.int(),
  killed: z.string().max(40).nullable(),
  seconds: z.number(),
});
export type ChangeCheck = z.infer<typeof ChangeCheck>;

/** A command of the checks with how it ended, in no language. */
export function describeCheck({ command, exitCode, killed }: ChangeCheck): string {
  return `${command}: ${exitCode === 0 && killed === null ? '✓' : `✗ ${killed ?? `exit ${exitCode}`}`}`;
}

/** What the checks of a diff came to; `broken`: a check failed, and no test ran. */
export const ChecksVerdict = z.enum(['passed', 'failed', 'broken', 'none']);
export type ChecksVerdict = z.infer<typeof ChecksVerdict>;

export function judgeChecks({
  checks,
  isTested,
}: {
  readonly checks: readonly ChangeCheck[];
  readonly isTested: boolean;
}): ChecksVerdict {
  const hasFailed = checks.some(({ exitCode, killed }) => exitCode !== 0 || killed !== null);
  if (hasFailed) return isTested ? 'failed' : 'broken';
  return isTested ? 'passed' : 'none';
}

/** What the critic says of a diff, which it knows together with the task and the output of the tests. */
export const Critique = z.object({
  verdict: z.enum(['good', 'doubts', 'bad']),
  risk: z.enum(['low', 'medium', 'high']),
  says: z.string().max(1_500),
});
export type Critique = z.infer<typeof Critique>;

/** A diff that a person can approve, and everything that was found out about it. */
export const ProposedDiff = z.object({
  title: z.string().min(1).max(120),
  summary: z.string().max(3_000),
  diff: z.string().min(1),
  /** SHA-256 of the base commit and the diff: see `hashDiff`. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  files: z.array(ChangedFile).min(1).max(200),
  checks: z.array(ChangeCheck).max(40),
  /** True when the project has tests that ran; false when none were found or none could run. */
  isTested: z.boolean(),
  /** Null when no model is there to criticize. */
  critique: Critique.nullable(),
});
export type ProposedDiff = z.infer<typeof ProposedDiff>;

export const ChangePayload = z.object({
  changeId: z.int().positive(),
  project: z.string().min(1).max(80),
  /** The branch to start from; `HEAD` is the main branch. */
  ref: z.string().min(1).max(200).default('HEAD'),
  /** Result of the job `engineering.fetch`; a tool never sets it. */
  fetched: ChainFetchResult.optional(),
});
export type ChangePayload = z.infer<typeof ChangePayload>;

export const ChangeResult = z.object({
  changeId: z.int(),
  project: z.string(),
  state: ChangeState,
  title: z.string().nullable(),
  /** What the checks of the diff came to. Missing without a diff, and in results of older releases. */
  ran: ChecksVerdict.optional(),
  question: z.string().nullable(),
  problem: z.string().max(2_000).nullable(),
});
export type ChangeResult = z.infer<typeof ChangeResult>;

export const PublishPayload = z.object({
  changeId: z.int().positive(),
  project: z.string(),
  hash: z.string().length(64),
});
export const PublishResult = z.object({
  changeId: z.int(),
  project: z.string(),
  title: z.string(),
  forge: z.string().max(40),
  branch: z.string().max(200),
  commit: z.string(),
  /** The pull request; null where no forge is configured and the branch stands in a repository of the data folder. */
  number: z.int().nullable(),
  url: z.string().max(1_000).nullable(),
  /** The folder of that repository; null with a forge. */
  repository: z.string().max(1_000).nullable(),
});
export type PublishResult = z.infer<typeof PublishResult>;

/** Where the main branch stands now, and how the pull request stands at its forge; `kept` for a branch of the data folder. */
export const LookResult = z.object({
  head: z.string().nullable(),
  forge: z.string().max(40),
  state: z.enum(['open', 'merged', 'closed', 'kept', 'unknown']),
  canMerge: z.boolean().nullable(),
  checks: z.enum(['none', 'pending', 'passed', 'failed']),
  failed: z.array(z.string().max(200)).max(10),
  problem: z.string().max(2_000).nullable(),
});
export type LookResult = z.infer<typeof LookResult>;
