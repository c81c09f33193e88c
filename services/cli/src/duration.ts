import { SECOND_MS } from '@signalbox/contracts/time';
import { UsageError } from './command.ts';

const UNITS = { s: SECOND_MS, m: 60 * SECOND_MS, h: 3_600 * SECOND_MS, d: 86_400 * SECOND_MS } as const;

/** Parses `--since` such as `90m` or `1d` to milliseconds. Throws UsageError for other texts. */
export function readSince(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--since is a number with s, m, h or d, such as 90m or 1d, not '${text}'.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS]; // The pattern allows only these units.
}
