import { z } from 'zod';

/** Files of a commit that some or all analyzers did not read. */
export interface UnreadFiles {
  readonly why: 'too-large' | 'too-slow';
  readonly files: number;
  readonly paths: readonly string[];
}

const Slow = z.object({ unread: z.array(z.string()).min(1) });
const Large = z.object({
  summaries: z.object({
    discovery: z.object({ unread: z.number().int().min(1), large: z.array(z.string()).default([]) }),
  }),
});

/** Collects unread files from the outputs of a chain's steps. */
export function findUnread(outputs: readonly unknown[]): readonly UnreadFiles[] {
  const slow = [...new Set(outputs.flatMap((output) => Slow.safeParse(output).data?.unread ?? []))];
  const large = outputs.flatMap((output) => Large.safeParse(output).data?.summaries.discovery ?? []).slice(0, 1);
  return [
    ...large.map(({ unread: files, large: paths }) => ({ why: 'too-large' as const, files, paths })),
    ...(slow.length === 0 ? [] : [{ why: 'too-slow' as const, files: slow.length, paths: slow }]),
  ];
}
