import { z } from 'zod';

/** Maximum number of paths that a step stores for each reason. */
const MAX_UNREAD_PATHS = 1_000;

const UNREAD_REASONS = [
  'no-advisories',
  'not-covered',
  'unknown-lock',
  'broken-report',
  'too-large',
  'too-slow',
  'elsewhere',
  'not-text',
  'vendored',
] as const;

/** What a scan did not read, and why. `elsewhere`: submodules and Git LFS. `vendored`: searched for secrets only.
 * `not-covered`: no tool with rules for code reported its results. */
export const UnreadFiles = z.object({
  why: z.enum(UNREAD_REASONS),
  files: z.number().int(),
  /** The first paths; folders for vendored files. */
  paths: z.array(z.string()).max(MAX_UNREAD_PATHS),
});
export type UnreadFiles = z.infer<typeof UnreadFiles>;

/** The `unread` of a step; older steps stored the paths of slow files only. */
const Unread = z.object({
  unread: z.union([z.array(UnreadFiles), z.array(z.string()).transform((paths) => [groupUnread('too-slow', paths)])]),
});

/** Groups the paths of one reason. */
export function groupUnread(why: UnreadFiles['why'], paths: readonly string[], files = paths.length): UnreadFiles {
  return { why, files, paths: paths.slice(0, MAX_UNREAD_PATHS) };
}

/** Merges what several steps or analyzers did not read, in the order of the reasons. */
export function mergeUnread(all: readonly UnreadFiles[]): readonly UnreadFiles[] {
  return UNREAD_REASONS.flatMap((why) => {
    const ones = all.filter((one) => one.why === why && one.files > 0);
    const paths = [...new Set(ones.flatMap((one) => one.paths))].sort();
    const files = Math.max(why === 'vendored' ? 0 : paths.length, ...ones.map((one) => one.files));
    return ones.length === 0 ? [] : [groupUnread(why, paths, files)];
  });
}

/** Collects what the steps of a chain did not read, from their outputs. */
export function findUnread(outputs: readonly unknown[]): readonly UnreadFiles[] {
  return mergeUnread(outputs.flatMap((output) => Unread.safeParse(output).data?.unread ?? []));
}
