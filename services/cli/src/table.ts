import { sayDuration } from '@signalbox/messages/duration';

/** Longer cells are cut: `--json` shows everything. */
const MAX_CELL = 60;

type Row = readonly (string | number | null)[];

/** Rows under headings, each column as wide as its longest cell. Line breaks in cells become spaces. */
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

/** The same, or a sentence when there are no rows. */
export function formatList(headings: readonly string[], rows: readonly Row[], none: string): readonly string[] {
  return rows.length > 0 ? formatTable(headings, rows) : [none];
}

/** A part of a report: its title, and its rows below it; nothing without rows. */
export function section<T>(
  title: string,
  headings: readonly string[],
  items: readonly T[],
  row: (item: T) => Row,
): readonly string[] {
  if (items.length === 0) return [];
  return ['', title, ...formatTable(headings, items.map(row)).map((line) => `  ${line}`)];
}

/** How long something has been so; nothing when it is not. */
export function formatAge(ms: number | null): string {
  return ms === null ? '' : sayDuration(ms);
}

/** `1 turn`, `3 turns`. */
export function countOf(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** A moment as people at a terminal read it: `2026-03-01 14:05:09`, in UTC as in the logs. */
export function formatTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_CELL ? `${line.slice(0, MAX_CELL - 1)}…` : line;
}
