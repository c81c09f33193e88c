import {
  toPlainSpan,
  getText,
  type Block,
  type InlineText,
  type ListItem,
  type Span,
  type Table,
} from '../../text/block.ts';
import { findCut, findByteOffset } from '../../text/cut.ts';
import { isBlank } from '../../text/clean-text.ts';
import {
  addSizes,
  isWithin,
  MAX_RICH_SIZE,
  getBlockSize,
  getItemSize,
  getRowSize,
  subtractSizes,
  type RichSize,
} from './rich-size.ts';

/**
 * Cuts a message into sections that fit into one rich message each: between blocks, else items, rows, lines or words. Cut code keeps its
 * language, a cut table its header; only blanks at the cuts are lost.
 */
export function splitIntoSections(
  blocks: readonly Block[],
  limit: RichSize = MAX_RICH_SIZE,
): readonly (readonly Block[])[] {
  const sections: Block[][] = [];
  let section: Block[] = [];
  let room = limit;
  const close = (): void => {
    if (section.length > 0) sections.push(section);
    section = [];
    room = limit;
  };
  // Reversed, so that the next block is popped from the end.
  const queue = [...blocks].reverse();
  for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
    const size = getBlockSize(block);
    if (isWithin(size, room)) {
      section.push(block);
      room = subtractSizes(room, size);
      continue;
    }
    // Starting a new section reads better than cutting a block, unless this section would stay nearly empty.
    if (
      section.length > 0 &&
      (isWithin(size, limit) || room.bytes < limit.bytes / 4 || room.blocks < limit.blocks / 4)
    ) {
      close();
      queue.push(block);
      continue;
    }
    const [head, rest] = cutBlock(block, room);
    section.push(...head);
    close();
    for (const one of [...rest].reverse()) queue.push(one);
  }
  close();
  return sections;
}

type BlockCut = readonly [head: readonly Block[], rest: readonly Block[]];

/** Cuts a block that exceeds the room. The rest is smaller than the block, or the head is empty. */
function cutBlock(block: Block, room: RichSize): BlockCut {
  switch (block.type) {
    case 'paragraph':
    case 'heading': {
      const parts = cutText(block.text, room.bytes);
      const [head = [], rest = []] = parts.map((text) => (isBlank(getText(text)) ? [] : [{ ...block, text }]));
      return [head, rest];
    }
    case 'code': {
      const at = cutWithin(block.text, room.bytes - getBlockSize({ ...block, text: '' }).bytes);
      const parts = [block.text.slice(0, at).replace(/\n$/, ''), block.text.slice(at)];
      const [head = [], rest = []] = parts.map((text) => (isBlank(text) ? [] : [{ ...block, text }]));
      return [head, rest];
    }
    case 'quote': {
      const [head, rest] = cutBlocks(block.blocks, subtractSizes(room, getBlockSize({ ...block, blocks: [] })));
      return [
        wrapBlocks(head, (blocks) => ({ type: 'quote', blocks })),
        wrapBlocks(rest, (blocks) => ({ type: 'quote', blocks })),
      ];
    }
    case 'list':
      return cutList(block.items, room);
    case 'table':
      return cutTable(block, room);
    case 'divider':
      return [[], [block]];
  }
}

/** Takes as many blocks as fit; a first block that is too large is cut. */
function cutBlocks(blocks: readonly Block[], room: RichSize): BlockCut {
  const count = countFitting(blocks.map(getBlockSize), room);
  const [first] = blocks;
  if (count > 0 || first === undefined) return [blocks.slice(0, count), blocks.slice(count)];
  const [head, rest] = cutBlock(first, room);
  return [head, [...rest, ...blocks.slice(1)]];
}

function cutList(items: readonly ListItem[], room: RichSize): BlockCut {
  const inside = subtractSizes(room, { bytes: 0, blocks: 1 });
  const count = countFitting(items.map(getItemSize), inside);
  const [first] = items;
  if (count > 0 || first === undefined) return [toList(items.slice(0, count)), toList(items.slice(count))];
  const [head, rest] = cutBlocks(first.blocks, subtractSizes(inside, getItemSize({ ...first, blocks: [] })));
  // The rest of the item continues below the list without a bullet.
  return [toList([{ ...first, blocks: head }]), [...rest, ...toList(items.slice(1))]];
}

function toList(items: readonly ListItem[]): readonly Block[] {
  return items.length === 0 ? [] : [{ type: 'list', items }];
}

function cutTable(table: Table, room: RichSize): BlockCut {
  const [head = [], ...rows] = table.rows;
  const inside = subtractSizes(room, addSizes({ bytes: 0, blocks: 1 }, getRowSize(head, table)));
  const count = countFitting(
    rows.map((row) => getRowSize(row, table)),
    inside,
  );
  const part = (some: readonly (readonly InlineText[])[]): readonly Block[] =>
    some.length === 0 ? [] : [{ ...table, rows: [head, ...some] }];
  if (count > 0) return [part(rows.slice(0, count)), part(rows.slice(count))];
  // When not even one row fits, the first row (or the header) becomes paragraphs.
  const [first = head, ...others] = rows;
  return [[], [...toParagraphs(head, first), ...part(others)]];
}

/** Turns a row into paragraphs, each with the name of its column. */
function toParagraphs(head: readonly InlineText[], row: readonly InlineText[]): readonly Block[] {
  return row.flatMap((cell, column): readonly Block[] => {
    const name = head[column];
    if (getText(cell).trim() === '') return [];
    const bold: InlineText = name === undefined || row === head ? [] : [...name, ...toPlainSpan(': ')];
    return [{ type: 'paragraph', text: [...bold, ...cell] }];
  });
}

function cutText(text: InlineText, bytes: number): readonly [InlineText, InlineText] {
  const at = cutWithin(getText(text), bytes);
  const head: Span[] = [];
  const rest: Span[] = [];
  let offset = 0;
  for (const span of text) {
    const inHead = Math.max(0, Math.min(span.text.length, at - offset));
    if (inHead > 0) head.push({ ...span, text: span.text.slice(0, inHead) });
    if (inHead < span.text.length) rest.push({ ...span, text: span.text.slice(inHead) });
    offset += span.text.length;
  }
  return [trimEnd(head), trimStart(rest)];
}

function trimEnd(text: InlineText): InlineText {
  const last = text.findLastIndex((span) => span.text.trimEnd() !== '');
  return text.slice(0, last + 1).map((span, place) => (place === last ? { ...span, text: span.text.trimEnd() } : span));
}

function trimStart(text: InlineText): InlineText {
  const first = text.findIndex((span) => span.text.trimStart() !== '');
  if (first === -1) return [];
  return text.slice(first).map((span, place) => (place === 0 ? { ...span, text: span.text.trimStart() } : span));
}

/** Cuts off at least one character, so that cutting ends. */
function cutWithin(text: string, bytes: number): number {
  return findCut(text, 0, Math.max(2, findByteOffset(text, 0, bytes)));
}

function countFitting(sizes: readonly RichSize[], room: RichSize): number {
  let left = room;
  const found = sizes.findIndex((size) => {
    left = subtractSizes(left, size);
    return left.bytes < 0 || left.blocks < 0;
  });
  return found === -1 ? sizes.length : found;
}

function wrapBlocks(blocks: readonly Block[], make: (blocks: readonly Block[]) => Block): readonly Block[] {
  return blocks.length === 0 ? [] : [make(blocks)];
}
