import { textOf, type Align, type Table } from './block.ts';
import { hasRightToLeft, ISOLATE } from './clean-text.ts';

/** A table in plain text. */
export interface LaidOutTable {
  readonly text: string;
  /** Lines of equal width, for a monospaced block. */
  readonly aligned: boolean;
  /** What each message repeats in which the table goes on; null when there is nothing to repeat. */
  readonly head: string | null;
}

/** Columns of characters that a monospaced block shows without wrapping: on a desktop, or a phone that is turned. */
const MAX_WIDTH = 64;

/** Lays a table out: as aligned lines if they are short enough to be read, else row by row. Formatting inside is dropped. */
export function layOutTable(table: Table): LaidOutTable {
  const rows = table.rows.map((row) => row.map((cell) => textOf(cell).replace(/\s+/g, ' ').trim()));
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const width = widths.reduce((sum, one) => sum + one + SEPARATOR.length, -SEPARATOR.length);
  if (width > MAX_WIDTH) return { text: listRows(rows), aligned: false, head: null };
  const lines = rows.map((row) =>
    widths
      .map((one, column) => pad(isolate(row[column] ?? ''), one, table.aligns[column] ?? null))
      .join(SEPARATOR)
      .trimEnd(),
  );
  const head = `${lines[0] ?? ''}\n${widths.map((one) => '─'.repeat(one)).join('─┼─')}`;
  return { text: [head, ...lines.slice(1)].join('\n'), aligned: true, head };
}

const SEPARATOR = ' │ ';

/** Each row as lines of "header: value". */
function listRows(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  if (rest.length === 0) return head.join(SEPARATOR);
  return rest
    .map((row) =>
      Array.from({ length: Math.max(row.length, head.length) }, (_, column) => {
        const [name, value] = [head[column] ?? '', row[column] ?? ''];
        if (name === '') return isolate(value);
        return `${isolate(name)}: ${value === '' ? '–' : isolate(value)}`;
      })
        .filter((line) => line !== '')
        .join('\n'),
    )
    .join('\n\n');
}

/** Cells stand side by side in one line: one from right to left must not turn its neighbors round. */
function isolate(text: string): string {
  return hasRightToLeft(text) ? ISOLATE.start + text + ISOLATE.end : text;
}

function pad(text: string, width: number, align: Align): string {
  const missing = width - widthOf(text);
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align !== 'center') return text + ' '.repeat(missing);
  const before = Math.floor(missing / 2);
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

const SEGMENTER = new Intl.Segmenter();
/** Characters that take two columns in monospaced fonts: East Asian wide ones and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const NO_WIDTH = /^\p{Default_Ignorable_Code_Point}+$/u;
const ASCII = /^[ -~]*$/;

function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    if (WIDE.test(segment)) width += 2;
    else if (!NO_WIDTH.test(segment)) width += 1;
  }
  return width;
}
