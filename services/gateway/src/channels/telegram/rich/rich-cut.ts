import {
  plainSpan,
  textOf,
  type Block,
  type InlineText,
  type ListItem,
  type Span,
  type Table,
} from '../../text/block.ts';
import { findCut, findReach } from '../../text/cut.ts';
import { isBlank } from '../../text/clean-text.ts';
import { add, fits, MAX_RICH_SIZE, sizeOf, sizeOfItem, sizeOfRow, subtract, type Size } from './rich-size.ts';

/**
 * Cuts a message into sections of which each fits into one rich message: between blocks, else between items, rows, lines or
 * words. Cut code keeps its language, a cut table its header. Nothing is lost but blanks at the cuts.
 */
export function cutSections(blocks: readonly Block[], limit: Size = MAX_RICH_SIZE): readonly (readonly Block[])[] {
  const sections: Block[][] = [];
  let section: Block[] = [];
  let room = limit;
  const close = (): void => {
    if (section.length > 0) sections.push(section);
    section = [];
    room = limit;
  };
  // Turned round, so that the next block is taken from the end.
  const queue = [...blocks].reverse();
  for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
    const size = sizeOf(block);
    if (fits(size, room)) {
      section.push(block);
      room = subtract(room, size);
      continue;
    }
    // A block that begins a section of its own is easier to read than one that is cut, unless the section stays nearly empty.
    if (section.length > 0 && (fits(size, limit) || room.bytes < limit.bytes / 4 || room.blocks < limit.blocks / 4)) {
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

type Cut = readonly [head: readonly Block[], rest: readonly Block[]];

/** Cuts a block that is too large for the room. The rest is smaller than the block was, or there is no head. */
function cutBlock(block: Block, room: Size): Cut {
  switch (block.type) {
    case 'paragraph':
    case 'heading': {
      const parts = cutText(block.text, room.bytes);
      const [head = [], rest = []] = parts.map((text) => (isBlank(textOf(text)) ? [] : [{ ...block, text }]));
      return [head, rest];
    }
    case 'code': {
      const at = cutWithin(block.text, room.bytes - sizeOf({ ...block, text: '' }).bytes);
      const parts = [block.text.slice(0, at).replace(/\n$/, ''), block.text.slice(at)];
      const [head = [], rest = []] = parts.map((text) => (isBlank(text) ? [] : [{ ...block, text }]));
      return [head, rest];
    }
    case 'quote': {
      const [head, rest] = cutBlocks(block.blocks, subtract(room, sizeOf({ ...block, blocks: [] })));
      return [wrap(head, (blocks) => ({ type: 'quote', blocks })), wrap(rest, (blocks) => ({ type: 'quote', blocks }))];
    }
    case 'list':
      return cutList(block.items, room);
    case 'table':
      return cutTable(block, room);
    case 'divider':
      return [[], [block]];
  }
}

/** As many blocks as there is room for; the first of them is cut if it alone is too large. */
function cutBlocks(blocks: readonly Block[], room: Size): Cut {
  const count = countFitting(blocks.map(sizeOf), room);
  const [first] = blocks;
  if (count > 0 || first === undefined) return [blocks.slice(0, count), blocks.slice(count)];
  const [head, rest] = cutBlock(first, room);
  return [head, [...rest, ...blocks.slice(1)]];
}

function cutList(items: readonly ListItem[], room: Size): Cut {
  const inside = subtract(room, { bytes: 0, blocks: 1 });
  const count = countFitting(items.map(sizeOfItem), inside);
  const [first] = items;
  if (count > 0 || first === undefined) return [asList(items.slice(0, count)), asList(items.slice(count))];
  const [head, rest] = cutBlocks(first.blocks, subtract(inside, sizeOfItem({ ...first, blocks: [] })));
  // What is left of the item goes on below the list: it has had its bullet.
  return [asList([{ ...first, blocks: head }]), [...rest, ...asList(items.slice(1))]];
}

function asList(items: readonly ListItem[]): readonly Block[] {
  return items.length === 0 ? [] : [{ type: 'list', items }];
}

function cutTable(table: Table, room: Size): Cut {
  const [head = [], ...rows] = table.rows;
  const inside = subtract(room, add({ bytes: 0, blocks: 1 }, sizeOfRow(head, table)));
  const count = countFitting(
    rows.map((row) => sizeOfRow(row, table)),
    inside,
  );
  const part = (some: readonly (readonly InlineText[])[]): readonly Block[] =>
    some.length === 0 ? [] : [{ ...table, rows: [head, ...some] }];
  if (count > 0) return [part(rows.slice(0, count)), part(rows.slice(count))];
  // Not even one row fits: the first one, or the head, becomes lines.
  const [first = head, ...others] = rows;
  return [[], [...asLines(head, first), ...part(others)]];
}

/** One row, each cell in a paragraph below the name of its column. */
function asLines(head: readonly InlineText[], row: readonly InlineText[]): readonly Block[] {
  return row.flatMap((cell, column): readonly Block[] => {
    const name = head[column];
    if (textOf(cell).trim() === '') return [];
    const bold: InlineText = name === undefined || row === head ? [] : [...name, ...plainSpan(': ')];
    return [{ type: 'paragraph', text: [...bold, ...cell] }];
  });
}

function cutText(text: InlineText, bytes: number): readonly [InlineText, InlineText] {
  const at = cutWithin(textOf(text), bytes);
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

/** Without the blanks and line ends at a cut. */
function trimEnd(text: InlineText): InlineText {
  const last = text.findLastIndex((span) => span.text.trimEnd() !== '');
  return text.slice(0, last + 1).map((span, place) => (place === last ? { ...span, text: span.text.trimEnd() } : span));
}

function trimStart(text: InlineText): InlineText {
  const first = text.findIndex((span) => span.text.trimStart() !== '');
  if (first === -1) return [];
  return text.slice(first).map((span, place) => (place === 0 ? { ...span, text: span.text.trimStart() } : span));
}

/** At least one character goes in, or cutting would never end. */
function cutWithin(text: string, bytes: number): number {
  return findCut(text, 0, Math.max(2, findReach(text, 0, bytes)));
}

function countFitting(sizes: readonly Size[], room: Size): number {
  let left = room;
  const found = sizes.findIndex((size) => {
    left = subtract(left, size);
    return left.bytes < 0 || left.blocks < 0;
  });
  return found === -1 ? sizes.length : found;
}

function wrap(blocks: readonly Block[], make: (blocks: readonly Block[]) => Block): readonly Block[] {
  return blocks.length === 0 ? [] : [make(blocks)];
}
