import { sayDuration } from '@signalbox/messages/duration';

/** Longer cells are cut; `--json` shows them in full. */
const MAX_CELL = 60;

type Row = readonly (string | number | null)[];

/** Formats rows under headings with aligned columns. Line breaks in cells become spaces. */
export function formatTable(headings: readonly string[], rows: readonly Row[]): readonly string[] {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cut(String(cell ?? '–'))));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats a table, or returns `none` without rows. */
export function formatList(headings: readonly string[], rows: readonly Row[], none: string): readonly string[] {
  return rows.length > 0 ? formatTable(headings, rows) : [none];
}

/** Formats a titled part of a report; empty without rows. */
export function formatSection<T>(
  title: string,
  headings: readonly string[],
  items: readonly T[],
  row: (item: T) => Row,
): readonly string[] {
  if (items.length === 0) return [];
  return ['', title, ...formatTable(headings, items.map(row)).map((line) => `  ${line}`)];
}

/** Formats an age; empty for null. */
export function formatAge(ms: number | null): string {
  return ms === null ? '' : sayDuration(ms);
}

/** Formats a count with its noun: `1 turn`, `3 turns`. */
export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Formats a time for terminals: `2026-03-01 14:05:09`, in UTC like the logs. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line;
}
