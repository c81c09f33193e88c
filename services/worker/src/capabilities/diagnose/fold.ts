import type { LogLine } from '@signalbox/contracts/operations/deploy';

/** A line of a log as a model reads it, such as `20:48:01 GET /tea 200 (3 ×)`. Times are of UTC. */
export function foldLines(lines: readonly Pick<LogLine, 'line' | 'at'>[]): readonly string[] {
  const newest = lines.findLast(({ at }) => at !== null)?.at ?? '';
  const folded: { text: string; at: string | null; count: number }[] = [];
  for (const { line, at } of lines) {
    const last = folded.at(-1);
    if (last?.text === line) last.count += 1;
    else folded.push({ text: line, at, count: 1 });
  }
  return folded.map(
    ({ text, at, count }) =>
      `${at === null ? '' : `${formatMoment(at, newest)} `}${text}${count > 1 ? ` (${count} ×)` : ''}`,
  );
}

/** The time, and before it the day if that is another than the day of the newest line. */
function formatMoment(at: string, newest: string): string {
  const time = at.slice(11, 19);
  return at.slice(0, 10) === newest.slice(0, 10) ? time : `${at.slice(0, 10)} ${time}`;
}
