import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';

/** How far the log of a deployment was read: up to this time, and how many lines of exactly that time. */
export const LogCursor = z
  .object({ deploymentId: z.string(), at: z.string(), seen: z.number().int() })
  .nullable()
  .catch(null);
export type LogCursor = z.infer<typeof LogCursor>;

/** The lines that came after the cursor, and where it stands then. Lines without a time cannot be told apart and are left out. */
export function readOn(
  cursor: LogCursor,
  deploymentId: string,
  lines: readonly LogLine[],
): { readonly lines: readonly LogLine[]; readonly cursor: LogCursor } {
  const own = cursor?.deploymentId === deploymentId ? cursor : null;
  const timed = lines.filter((line): line is LogLine & { at: string } => line.at !== null);
  let skip = own?.seen ?? 0;
  const fresh = timed.filter(({ at }) => {
    if (own === null || at > own.at) return true;
    if (at < own.at) return false;
    skip -= 1;
    return skip < 0;
  });
  const at = timed.reduce((newest, line) => (line.at > newest ? line.at : newest), own?.at ?? '');
  if (at === '') return { lines: [], cursor: own };
  // Of lines of one time, those that were there before count as seen, also when the log was cut since.
  const same = timed.filter((line) => line.at === at).length;
  const seen = at === own?.at ? Math.max(own.seen, same) : same;
  return { lines: fresh, cursor: { deploymentId, at, seen } };
}
