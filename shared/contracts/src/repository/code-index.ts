import { z } from 'zod';

const Count = z.number().int().nonnegative();

/** Why files of a commit are not searched. */
export const LEFT_OUT = ['vendored', 'generated', 'large', 'binary', 'beyond'] as const;

/** What an index holds of a commit: its files, the searched ones, and how many of each kind were left out, with some of their paths. */
export const CodeCounts = z.object({
  files: Count,
  indexed: Count,
  left: z.partialRecord(z.enum(LEFT_OUT), z.object({ count: Count, paths: z.array(z.string().max(300)).max(5) })),
});
export type CodeCounts = z.infer<typeof CodeCounts>;

/** A commit that searches need, under these names: a branch, or what deployments asked for. */
export const NeededCommit = z.object({
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  names: z.array(z.string().min(1).max(200)).max(10),
  isMain: z.boolean(),
});
export type NeededCommit = z.infer<typeof NeededCommit>;

/** All commits of a project that its index shall hold. The field is not `project`: people see the runs of that name as work on a project. */
export const CodeIndexPayload = z.object({
  codeOf: z.string().min(1).max(80),
  /** The fetched mirror; null removes the project's index. */
  mirror: z.string().nullable(),
  folder: z.string().nullable(),
  commits: z.array(NeededCommit).max(12),
});

export const CodeIndexResult = z.object({
  codeOf: z.string(),
  commits: z.array(CodeCounts.extend({ commit: z.string() })),
  /** Texts that were split for the first time, and commits that nobody needs any more. */
  added: Count,
  removed: Count,
});

/** Passages that got a vector, and those that the embeddings endpoint refused. Each run continues behind what earlier runs stored. */
export const EmbedResult = z.object({ embedded: Count, refused: Count });
