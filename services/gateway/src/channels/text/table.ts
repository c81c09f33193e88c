import { getText, type Align, type Table } from './block.ts';
import { hasRightToLeft, DIRECTION_ISOLATE } from './clean-text.ts';

export interface LaidOutTable {
  readonly text: string;
  /** True when all lines have the same width, so that a monospaced block fits. */
  readonly aligned: boolean;
  /** The header to repeat after a split; null when there is none. */
  readonly head: string | null;
}

/** Columns that a monospaced block shows without wrapping, on a desktop or a turned phone. */
const MAX_WIDTH = 64;

/** Lays a table out in aligned lines, or row by row when those would be too long. Drops formatting. */
export function layOutTable(table: Table): LaidOutTable {
  const rows = table.rows.map((row) => row.map((cell) => getText(cell).replace(/\s+/g, ' ').trim()));
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => measureWidth(row[column] ?? ''))),
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

/** Each row becomes lines of "header: value". */
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

/** Isolates a right-to-left cell, so that the cell does not reorder its neighbors. */
function isolate(text: string): string {
  return hasRightToLeft(text) ? DIRECTION_ISOLATE.start + text + DIRECTION_ISOLATE.end : text;
}

function pad(text: string, width: number, align: Align): string {
  const missing = width - measureWidth(text);
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align !== 'center') return text + ' '.repeat(missing);
  const before = Math.floor(missing / 2);
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

const SEGMENTER = new Intl.Segmenter();
/** Characters that take two columns in monospaced fonts: wide East Asian ones and emoji. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const NO_WIDTH = /^\p{Default_Ignorable_Code_Point}+$/u;
const ASCII = /^[ -~]*$/;

function measureWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    if (WIDE.test(segment)) width += 2;
    else if (!NO_WIDTH.test(segment)) width += 1;
  }
  return width;
}
