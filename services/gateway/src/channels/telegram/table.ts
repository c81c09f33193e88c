import type { Node, Table } from './markdown.ts';

/** A table as lines of equal width, for a monospaced block. Formatting inside cells is dropped. */
export function layOutTable(table: Table): string {
  const rows = table.children.map((row) => row.children.map((cell) => flatten(cell).replace(/\s+/g, ' ').trim()));
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width, table.align?.[column] ?? null))
      .join(' │ ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─');
  return [lines[0] ?? '', rule, ...lines.slice(1)].join('\n');
}

function flatten(node: Node): string {
  if ('children' in node) return node.children.map(flatten).join('');
  if ('value' in node) return node.value;
  return 'alt' in node ? (node.alt ?? '') : '';
}

function pad(text: string, width: number, align: 'left' | 'right' | 'center' | null): string {
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

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
