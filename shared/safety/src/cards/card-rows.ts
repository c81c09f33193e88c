import { columnsOf, escapeLine } from './canonical-card.ts';

/** One line of a card. */
export interface CardLine {
  /** What it says, as it is. */
  readonly raw: string;
  /** It as Markdown, around the text that it is given, which is escaped. */
  readonly as: (text: string) => string;
  /** It is cut after the others. */
  readonly isGrave?: boolean;
}

/** As wide as a phone of 360 pixels shows a line of a card, in columns: it was measured on the page and in the client of Telegram. */
const ROW = 36;
/** Longer texts are cut before they are measured. In UTF-16 units. */
const LONGEST = 500;

/** How many rows of a phone Markdown takes. */
function rowsOf(markdown: string): number {
  return Math.max(1, Math.ceil(columnsOf(markdown.replace(/\\(.)|`|\*\*/g, '$1')) / ROW));
}

/**
 * Lines and a block, whose lines are no wider than a phone, in so many rows: each has what its label takes at least and the block three, and
 * what is left goes to the `first` lines, to the block and to the others, in this order, until each has as much as it is read for. What does not fit is cut, with a mark at its
 * end. Pure.
 */
export function fitRows(
  lines: readonly CardLine[],
  { first, block, rows }: { readonly first: number; readonly block: number; readonly rows: number },
): { readonly shown: readonly { readonly text: () => string; readonly isCut: boolean }[]; readonly blockRows: number } {
  const whole = lines.map(({ raw, as }) => as(escapeLine(raw.slice(0, LONGEST))));
  const needs = [...lines.map(({ raw }, at) => (raw.length > LONGEST ? Infinity : rowsOf(whole[at] ?? ''))), block];
  const least = lines.map(({ as }) => rowsOf(as('…')));
  const room = needs.map((need, at) => Math.min(need, least[at] ?? LEAST_OF_BLOCK));
  let left = rows - room.reduce((sum, one) => sum + one, 0);
  const grow = (at: number, most: number): void => {
    const more = Math.max(0, Math.min(left, most - (room[at] ?? 0), (needs[at] ?? 0) - (room[at] ?? 0)));
    room[at] = (room[at] ?? 0) + more;
    left -= more;
  };
  for (let at = 0; at < first; at += 1) grow(at, MAX_FIRST_ROWS);
  for (const [at, { isGrave }] of lines.entries()) if (isGrave) grow(at, MAX_OTHER_ROWS);
  grow(lines.length, GOOD_BLOCK);
  for (const most of [MAX_OTHER_ROWS, rows]) for (const at of lines.keys()) grow(at, most);
  grow(lines.length, rows);
  const shown = lines.map((line, at) => {
    const isCut = (room[at] ?? 0) < (needs[at] ?? 0);
    return { text: () => (isCut ? cutTo(line, room[at] ?? 1) : (whole[at] ?? '')), isCut };
  });
  return { shown, blockRows: room[lines.length] ?? 0 };
}

/** Its beginning, a mark and its end. */
const LEAST_OF_BLOCK = 3;
/** Of a command: its name and beginning, a mark and its end. */
const GOOD_BLOCK = 5;
/** A sentence that is longer leaves its values to the block. */
const MAX_FIRST_ROWS = 3;
const MAX_OTHER_ROWS = 2;

function cutTo({ raw, as }: CardLine, rows: number): string {
  const cut = (length: number): string => as(escapeLine(`${raw.slice(0, length).toWellFormed().trimEnd()}…`));
  let [fits, tooLong] = [0, Math.min(raw.length, LONGEST) + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (rowsOf(cut(middle)) <= rows) fits = middle;
    else tooLong = middle;
  }
  return cut(fits);
}
