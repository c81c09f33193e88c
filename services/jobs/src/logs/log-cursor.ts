import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { z } from 'zod';

/** Read position in a log: a time, and the number of read lines of exactly that time. */
export const LogCursor = z
  .object({ deploymentId: z.string(), at: z.string(), seen: z.number().int() })
  .nullable()
  .catch(null);
export type LogCursor = z.infer<typeof LogCursor>;

/** Returns the lines after the cursor, and the new cursor. Drops lines without a time. */
export function readNewLines(
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
  // Lines of the cursor's own time count as read, even after the log was rotated.
  const same = timed.filter((line) => line.at === at).length;
  const seen = at === own?.at ? Math.max(own.seen, same) : same;
  return { lines: fresh, cursor: { deploymentId, at, seen } };
}
