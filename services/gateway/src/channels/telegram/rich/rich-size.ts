import { textOf, type Block, type InlineText, type ListItem, type Table } from '../../text/block.ts';

/** What a rich message takes up of Telegram's limits. */
export interface Size {
  readonly bytes: number;
  readonly blocks: number;
}

/**
 * The limits of a rich message (core.telegram.org/bots/api#rich-message-limits), less what the line above a repeated message
 * takes. "32768 UTF-8 characters" is read as bytes, the strictest that it can mean: too long a message would be refused or,
 * worse, cut. Nested list items and rows count as blocks.
 */
export const MAX_RICH_SIZE: Size = { bytes: 32_500, blocks: 498 };
/** Levels of blocks and formatting; we count every list item, row and cell as one. */
export const MAX_DEPTH = 16;
export const MAX_COLUMNS = 20;
/** What a fold around long code takes up at most. */
const FOLD: Size = { bytes: 60, blocks: 1 };
/** What stands in an empty cell or item, in bytes. */
const EMPTY_BYTES = 2;

export function add(a: Size, b: Size): Size {
  return { bytes: a.bytes + b.bytes, blocks: a.blocks + b.blocks };
}

export function subtract(a: Size, b: Size): Size {
  return { bytes: a.bytes - b.bytes, blocks: a.blocks - b.blocks };
}

export function fits(size: Size, room: Size): boolean {
  return size.bytes <= room.bytes && size.blocks <= room.blocks;
}

/** What a block takes up, at most. */
export function sizeOf(block: Block): Size {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return { bytes: bytesOf(block.text), blocks: 1 };
    case 'code':
      return add({ bytes: Buffer.byteLength(block.text), blocks: 1 }, FOLD);
    case 'divider':
      return { bytes: 0, blocks: 1 };
    case 'quote':
      return add({ bytes: 0, blocks: 1 }, sizeOfInner(block.blocks));
    case 'list':
      return block.items.map(sizeOfItem).reduce(add, { bytes: 0, blocks: 1 });
    case 'table':
      return block.rows.map((row) => sizeOfRow(row, block)).reduce(add, { bytes: 0, blocks: 1 });
  }
}

/** What an item of a list takes up, at most. */
export function sizeOfItem(item: ListItem): Size {
  return add({ bytes: 0, blocks: 1 }, sizeOfInner(item.blocks));
}

/** What a row of a table takes up, at most. */
export function sizeOfRow(row: readonly InlineText[], table: Table): Size {
  const empty = (table.rows[0]?.length ?? 0) * EMPTY_BYTES;
  return { bytes: empty + row.reduce((sum, cell) => sum + bytesOf(cell), 0), blocks: 1 };
}

/** A paragraph stands in where there are none. */
function sizeOfInner(blocks: readonly Block[]): Size {
  if (blocks.length === 0) return { bytes: EMPTY_BYTES, blocks: 1 };
  return blocks.map(sizeOf).reduce(add);
}

function bytesOf(text: InlineText): number {
  return Buffer.byteLength(textOf(text));
}
