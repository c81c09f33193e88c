import {
  getItemLabel,
  groupSpans,
  getText,
  type Block,
  type InlineText,
  type ListItem,
  type Style,
} from '../../text/block.ts';
import { layOutTable } from '../../text/table.ts';

/** A section of a message. Code may be cut anywhere, because each piece gets its own fences. */
export interface Section {
  readonly text: string;
  readonly isCode: boolean;
}

/** WhatsApp's formatting marks (faq.whatsapp.com, "How to format your messages"). */
const MARKS: Readonly<Record<Style['type'], string>> = {
  bold: '*',
  italic: '_',
  strikethrough: '~',
  code: '`',
  underline: '',
  url: '',
};
/** WhatsApp has no escape for marks. A blank after a mark makes it literal; this blank is the thinnest. */
const THIN = '\u200a';
/** Places where a pair of formatting marks may begin or end. */
const OPENING = /(^|[^\p{L}\p{N}])([*_~`])(?=\S)/gu;
const CLOSING = /(?<=\S)[*_~`](?![\p{L}\p{N}])/gu;
/** A fence within code. */
const FENCE = /```/g;

/** Formats blocks with WhatsApp's marks, as sections to separate by an empty line. */
export function formatSections(blocks: readonly Block[]): readonly Section[] {
  return blocks.flatMap((block) => formatBlock(block, ''));
}

/** Escapes a text so that WhatsApp shows it unchanged. */
export function escapeMarks(text: string): string {
  return text.split('\n').map(escapeLine).join('\n');
}

/** A mark needs a partner in the same line, so only marks before the last one are escaped. */
function escapeLine(line: string): string {
  const last = new Map(Array.from(line.matchAll(CLOSING), ({ 0: mark, index }) => [mark, index]));
  return line.replace(OPENING, (whole, before: string, mark: string, at: number) =>
    (last.get(mark) ?? 0) > at + before.length + 1 ? `${whole}${THIN}` : whole,
  );
}

export function wrapCodeBlock(code: string): string {
  return `\`\`\`\n${code.replace(FENCE, `\`${THIN}\`\``)}\n\`\`\``;
}

function formatBlock(block: Block, indent: string): readonly Section[] {
  switch (block.type) {
    case 'heading':
      return plain(inline([{ text: getText(block.text), styles: [{ type: 'bold' }] }]));
    case 'paragraph':
      return plain(inline(block.text));
    case 'code':
      return [{ text: block.text, isCode: true }];
    case 'quote':
      return quote(block.blocks);
    case 'divider':
      return plain('———');
    case 'list':
      return formatList(block.items, indent);
    case 'table': {
      const { text, aligned } = layOutTable(block);
      return [{ text: aligned ? text : escapeMarks(text), isCode: aligned }];
    }
  }
}

function plain(text: string): readonly Section[] {
  return text.trim() === '' ? [] : [{ text, isCode: false }];
}

/** Joins blocks of a quote or list. Code in them has fences of its own and is cut like text. */
function joined(blocks: readonly Block[], indent: string): string {
  const sections = blocks.flatMap((block) => formatBlock(block, indent));
  return sections.map(({ text, isCode }) => (isCode ? wrapCodeBlock(text) : text)).join('\n');
}

function quote(blocks: readonly Block[]): readonly Section[] {
  return plain(joined(blocks, '').replace(/^/gm, '> '));
}

function formatList(items: readonly ListItem[], indent: string): readonly Section[] {
  const lines = items.map((item) => {
    const inside = joined(item.blocks, '').replace(/\n/g, `\n${indent}   `);
    return `${indent}${getItemLabel(item)}${inside}`;
  });
  return plain(lines.join('\n'));
}

/** Formats inline content. Marks do not span lines, so each line gets its own. */
function inline(spans: InlineText, level = 0): string {
  let text = '';
  const groups = groupSpans(spans, level);
  groups.forEach((group, place) => {
    if (group.style === null) {
      text += escapeMarks(getText(group.spans));
      return;
    }
    const inside = group.style.type === 'code' ? getText(group.spans) : inline(group.spans, level + 1);
    const next = getText(groups[place + 1]?.spans ?? []);
    text += decorate(group.style, inside, { before: text, after: next });
  });
  return text;
}

function decorate(style: Style, inside: string, around: { readonly before: string; readonly after: string }): string {
  if (style.type === 'url') return inside.includes(style.url) ? inside : `${inside} (${style.url})`;
  const mark = MARKS[style.type];
  // WhatsApp ignores marks inside words, and a nested mark would end the outer one.
  const isInWord = /[\p{L}\p{N}]$/u.test(around.before) || /^[\p{L}\p{N}]/u.test(around.after);
  if (mark === '' || isInWord || inside.includes(mark)) return style.type === 'code' ? escapeMarks(inside) : inside;
  return inside
    .split('\n')
    .map((line) => line.replace(/^(\s*)(\S(?:.*\S)?)(\s*)$/u, `$1${mark}$2${mark}$3`))
    .join('\n');
}
