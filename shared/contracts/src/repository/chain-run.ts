import { z } from 'zod';
import { ChainName } from './chains.ts';
import { Found } from './finding.ts';

/** Findings that a summary shows. */
export const SHOWN_FINDINGS = 5;

/** A commit in a mirror, or why there is none. */
export const ChainFetch = z.object({
  mirror: z.string().nullable(),
  commit: z.string().nullable(),
  folder: z.string().nullable(),
  problem: z.string().max(2_000).nullable(),
});
export type ChainFetch = z.infer<typeof ChainFetch>;

export const ChainPayload = z.object({
  project: z.string().min(1).max(80),
  chain: ChainName,
  /** A tag, a branch or a commit; `HEAD` is the main branch. */
  ref: z.string().min(1).max(200).default('HEAD'),
  /** Says what it would find, and keeps nothing. */
  isDry: z.boolean().default(false),
  /** What was fetched for it: no tool sets this. */
  fetched: ChainFetch.optional(),
});
export type ChainPayload = z.infer<typeof ChainPayload>;

/** A finding as it is shown. */
export const ShownFinding = Found.omit({ identity: true }).extend({ findingId: z.string().nullable() });
export type ShownFinding = z.infer<typeof ShownFinding>;

const Count = z.number().int();

export const ChainResult = z.object({
  runId: z.string(),
  project: z.string(),
  chain: ChainName,
  status: z.enum(['completed', 'failed', 'stopped']),
  commit: z.string().nullable(),
  isDry: z.boolean(),
  /** Whether this chain was completed over this project before. */
  isFirst: z.boolean(),
  /** What became of findings, and how many are open; null where the chain did not complete, and in a dry run. */
  counts: z.object({ opened: Count, reopened: Count, fixed: Count, open: Count }).nullable(),
  problem: z.string().max(2_000).nullable(),
  /** What was measured, one sentence each, in the language of whoever asked: size, languages, health, what to refactor. */
  facts: z.array(z.string().max(1_000)).max(20),
  /** How many findings the chain is about, and the most important of them. */
  total: Count,
  top: z.array(ShownFinding).max(SHOWN_FINDINGS),
  /** Steps that did not complete although the chain went on. */
  left: z.array(z.object({ agent: z.string(), problem: z.string().max(2_000) })),
  /** What was not looked at, such as advisories when no source of them is configured. */
  unseen: z.array(z.string()),
});
export type ChainResult = z.infer<typeof ChainResult>;
