import { countColumns, escapeLine } from './canonical-card.ts';

export interface CardLine {
  /** The line's text before escaping. */
  readonly raw: string;
  /** Formats the escaped text as markdown. */
  readonly as: (text: string) => string;
  /** True for important lines, which are cut last. */
  readonly isGrave?: boolean;
}

/** Columns of a card line on a 360-pixel phone, measured on the page and in Telegram's client. */
const ROW_COLUMNS = 36;
/** Maximum length measured, in UTF-16 units; longer texts are cut first. */
const MAX_MEASURED_LENGTH = 700;

/** Counts the rows that a markdown text takes on a phone. */
function countRows(markdown: string): number {
  return Math.max(1, Math.ceil(countColumns(markdown.replace(/\\(.)|`|\*\*/g, '$1')) / ROW_COLUMNS));
}

/**
 * Fits lines and a value block into rows. Each line gets at least the rows of its label and the block three; the rest goes to the `first`
 * lines, the block and the other lines, in this order. Cut texts end with a mark. Pure.
 */
export function fitRows(
  lines: readonly CardLine[],
  { first, block, rows }: { readonly first: number; readonly block: number; readonly rows: number },
): { readonly shown: readonly { readonly text: () => string; readonly isCut: boolean }[]; readonly blockRows: number } {
  const whole = lines.map(({ raw, as }) => as(escapeLine(raw.slice(0, MAX_MEASURED_LENGTH))));
  const needs = [
    ...lines.map(({ raw }, at) => (raw.length > MAX_MEASURED_LENGTH ? Infinity : countRows(whole[at] ?? ''))),
    block,
  ];
  const least = lines.map(({ as }) => countRows(as('…')));
  const rowsByItem = needs.map((need, at) => Math.min(need, least[at] ?? MIN_BLOCK_ROWS));
  let left = rows - rowsByItem.reduce((sum, count) => sum + count, 0);
  const grow = (at: number, most: number): void => {
    const more = Math.max(0, Math.min(left, most - (rowsByItem[at] ?? 0), (needs[at] ?? 0) - (rowsByItem[at] ?? 0)));
    rowsByItem[at] = (rowsByItem[at] ?? 0) + more;
    left -= more;
  };
  for (let at = 0; at < first; at += 1) grow(at, MAX_FIRST_ROWS);
  for (const [at, { isGrave }] of lines.entries()) if (isGrave) grow(at, MAX_OTHER_ROWS);
  grow(lines.length, USUAL_BLOCK_ROWS);
  for (const most of [MAX_OTHER_ROWS, rows]) for (const at of lines.keys()) grow(at, most);
  grow(lines.length, rows);
  const shown = lines.map((line, at) => {
    const isCut = (rowsByItem[at] ?? 0) < (needs[at] ?? 0);
    return { text: () => (isCut ? cutTo(line, rowsByItem[at] ?? 1) : (whole[at] ?? '')), isCut };
  });
  return { shown, blockRows: rowsByItem[lines.length] ?? 0 };
}

/** Minimum rows of a value block: the first line, the mark for hidden lines, and the last line. */
const MIN_BLOCK_ROWS = 3;
/** Usual rows of a value block: the tool's name, the start of a command, the mark for hidden lines, and the end. */
const USUAL_BLOCK_ROWS = 5;
/** Maximum rows of a preview sentence; a longer sentence leaves its values to the block. */
const MAX_FIRST_ROWS = 3;
const MAX_OTHER_ROWS = 2;
/** Minimum length of the shown start of a cut text, in UTF-16 units: a piece of a word tells nobody anything. */
const MIN_SHOWN_LENGTH = 12;

function cutTo({ raw, as }: CardLine, rows: number): string {
  const cut = (length: number): string => as(escapeLine(`${raw.slice(0, length).toWellFormed().trimEnd()}…`));
  let [fits, tooLong] = [0, Math.min(raw.length, MAX_MEASURED_LENGTH) + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (countRows(cut(middle)) <= rows) fits = middle;
    else tooLong = middle;
  }
  return cut(fits < MIN_SHOWN_LENGTH ? 0 : fits);
}
