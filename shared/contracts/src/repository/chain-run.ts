import { z } from 'zod';
import { ChainName } from './chains.ts';
import { RawFinding } from './finding.ts';

export const MAX_SHOWN_FINDINGS = 5;

/** A fetched commit with its mirror, or the problem that prevented the fetch. */
export const ChainFetchResult = z.object({
  mirror: z.string().nullable(),
  commit: z.string().nullable(),
  folder: z.string().nullable(),
  problem: z.string().max(2_000).nullable(),
});
export type ChainFetchResult = z.infer<typeof ChainFetchResult>;

export const ChainPayload = z.object({
  project: z.string().min(1).max(80),
  chain: ChainName,
  /** The tag, branch or commit to analyze; `HEAD` is the main branch. */
  ref: z.string().min(1).max(200).default('HEAD'),
  /** True for a dry run, which reports findings but stores nothing. */
  isDry: z.boolean().default(false),
  /** Result of the job `repository.fetch`; a tool never sets it. */
  fetched: ChainFetchResult.optional(),
});
export type ChainPayload = z.infer<typeof ChainPayload>;

export const ShownFinding = RawFinding.omit({ identity: true }).extend({ findingId: z.string().nullable() });
export type ShownFinding = z.infer<typeof ShownFinding>;

const Count = z.number().int();

export const ChainResult = z.object({
  runId: z.string(),
  project: z.string(),
  chain: ChainName,
  status: z.enum(['completed', 'failed', 'stopped']),
  commit: z.string().nullable(),
  isDry: z.boolean(),
  /** True when this chain has never completed before for this project. */
  isFirst: z.boolean(),
  /** Number of changed and of open findings; null for an incomplete chain or a dry run. */
  counts: z.object({ opened: Count, reopened: Count, fixed: Count, open: Count }).nullable(),
  problem: z.string().max(2_000).nullable(),
  facts: z.array(z.string().max(1_000)).max(20),
  total: Count,
  top: z.array(ShownFinding).max(MAX_SHOWN_FINDINGS),
  /** Steps that failed without ending the chain. */
  left: z.array(z.object({ agent: z.string(), problem: z.string().max(2_000) })),
  /** Areas that were not analyzed, such as advisories when no source is configured. */
  unseen: z.array(z.string()),
});
export type ChainResult = z.infer<typeof ChainResult>;
