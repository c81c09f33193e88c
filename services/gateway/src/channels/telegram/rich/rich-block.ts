import type { InputRichBlock, RichText } from 'grammy/types';
import { groupSpans, getText, type Block, type InlineText, type ListItem, type Table } from '../../text/block.ts';
import { MAX_DEPTH } from './rich-size.ts';

/** The Bot API's rich blocks. */
export type RichBlock = InputRichBlock;

/** Longer code is folded until the person opens it. */
const FOLDED_LINES = 40;
/** Replaces empty text: Telegram shows an empty cell as a hole and refuses an empty item. */
const EMPTY = '\u00a0';

/** Converts blocks for the Bot API; `splitIntoSections` keeps them within its limits. Code that is the whole message starts open. */
export function toRichBlocks(blocks: readonly Block[], mayFold = true): RichBlock[] {
  const foldable: CodeFolding = blocks.length === 1 ? 'open' : 'closed';
  const fold = mayFold ? foldable : 'never';
  return blocks.map((block) => toRichBlock(block, 1, fold));
}

/** How code over FOLDED_LINES is shown: unfolded, folded, or without a fold. */
type CodeFolding = 'open' | 'closed' | 'never';

/** True for code that is shown as a summary line until the person opens it. */
function isFolded(code: string): boolean {
  return code.split('\n').length > FOLDED_LINES;
}

export function toRichParagraph(text: string): RichBlock {
  return { type: 'paragraph', text };
}

function toRichBlock(block: Block, depth: number, fold: CodeFolding = 'closed'): RichBlock {
  switch (block.type) {
    case 'paragraph':
      return { type: 'paragraph', text: toRichText(block.text, depth) };
    case 'heading':
      return { type: 'heading', size: block.size, text: toRichText(block.text, depth) };
    case 'code':
      return toRichCode(block, fold);
    case 'quote':
      return { type: 'blockquote', blocks: toInner(block.blocks, depth + 1) };
    case 'divider':
      return { type: 'divider' };
    case 'list':
      return { type: 'list', items: block.items.map((item) => toRichItem(item, depth + 1)) };
    case 'table':
      return toRichTable(block, depth);
  }
}

function toRichCode(block: Extract<Block, { type: 'code' }>, fold: CodeFolding): RichBlock {
  const code: RichBlock = {
    type: 'pre',
    text: block.text,
    ...(block.language === null ? {} : { language: block.language }),
  };
  if (fold === 'never' || !isFolded(block.text)) return code;
  return {
    type: 'details',
    summary: `${block.language ?? 'code'}, ${block.text.split('\n').length} lines`,
    blocks: [code],
    ...(fold === 'open' ? { is_open: true } : {}),
  };
}

function toRichItem(item: ListItem, depth: number): Extract<RichBlock, { type: 'list' }>['items'][number] {
  return {
    blocks: toInner(item.blocks, depth + 1),
    ...(item.number === null ? {} : { value: item.number }),
    ...(item.checked === null ? {} : { has_checkbox: true }),
    ...(item.checked === true ? { is_checked: true } : {}),
  };
}

function toInner(blocks: readonly Block[], depth: number): RichBlock[] {
  return blocks.length === 0 ? [toRichParagraph(EMPTY)] : blocks.map((block) => toRichBlock(block, depth));
}

function toRichTable(table: Table, depth: number): RichBlock {
  const width = Math.max(...table.rows.map((row) => row.length));
  return {
    type: 'table',
    is_bordered: true,
    cells: table.rows.map((row, place) =>
      Array.from({ length: width }, (_, column) => ({
        text: row[column] && getText(row[column]).trim() !== '' ? toRichText(row[column], depth + 2) : EMPTY,
        align: table.aligns[column] ?? 'left',
        valign: 'top' as const,
        ...(place === 0 ? { is_header: true as const } : {}),
      })),
    ),
  };
}

/** Converts styled text. Styles beyond the depth limit are dropped. */
function toRichText(spans: InlineText, depth: number): RichText {
  const levels = MAX_DEPTH - depth;
  const render = (inside: InlineText, level: number): RichText => {
    const parts = groupSpans(inside, level).map((group): RichText => {
      if (group.style === null || level >= levels) return getText(group.spans);
      const text = render(group.spans, level + 1);
      return group.style.type === 'url'
        ? { type: 'url', text, url: group.style.url }
        : { type: group.style.type, text };
    });
    return parts.length === 1 ? (parts[0] ?? '') : parts;
  };
  return render(spans, 0);
}

/** True for a table, a heading, a nested list or foldable code. Other messages stay plain, which every server and client supports. */
export function needsRichMessage(blocks: readonly Block[], mayFold: boolean): boolean {
  return blocks.some((block) => looksBetterRich(block, false, mayFold));
}

function looksBetterRich(block: Block, inList: boolean, mayFold: boolean): boolean {
  switch (block.type) {
    case 'heading':
    case 'table':
      return true;
    case 'code':
      return mayFold && isFolded(block.text);
    case 'list':
      return inList || block.items.some((item) => item.blocks.some((inner) => looksBetterRich(inner, true, mayFold)));
    case 'quote':
      return block.blocks.some((inner) => looksBetterRich(inner, inList, mayFold));
    case 'paragraph':
    case 'divider':
      return false;
  }
}
