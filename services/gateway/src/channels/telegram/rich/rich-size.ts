import { getText, type Block, type InlineText, type ListItem, type Table } from '../../text/block.ts';

export interface RichSize {
  readonly bytes: number;
  readonly blocks: number;
}

/** Telegram's limits (core.telegram.org/bots/api#rich-message-limits) minus a first line. "UTF-8 characters" are read as bytes. */
export const MAX_RICH_SIZE: RichSize = { bytes: 32_500, blocks: 498 };
/** The most nested levels; every list item, row and cell counts as one. */
export const MAX_DEPTH = 16;
export const MAX_COLUMNS = 20;
/** The largest size of the fold around long code. */
const FOLD: RichSize = { bytes: 60, blocks: 1 };
const EMPTY_BYTES = 2;

export function addSizes(a: RichSize, b: RichSize): RichSize {
  return { bytes: a.bytes + b.bytes, blocks: a.blocks + b.blocks };
}

export function subtractSizes(a: RichSize, b: RichSize): RichSize {
  return { bytes: a.bytes - b.bytes, blocks: a.blocks - b.blocks };
}

export function isWithin(size: RichSize, room: RichSize): boolean {
  return size.bytes <= room.bytes && size.blocks <= room.blocks;
}

/** The largest size that a block can have; nested list items and rows count as blocks. */
export function getBlockSize(block: Block): RichSize {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return { bytes: countBytes(block.text), blocks: 1 };
    case 'code':
      return addSizes({ bytes: Buffer.byteLength(block.text), blocks: 1 }, FOLD);
    case 'divider':
      return { bytes: 0, blocks: 1 };
    case 'quote':
      return addSizes({ bytes: 0, blocks: 1 }, getInnerSize(block.blocks));
    case 'list':
      return block.items.map(getItemSize).reduce(addSizes, { bytes: 0, blocks: 1 });
    case 'table':
      return block.rows.map((row) => getRowSize(row, block)).reduce(addSizes, { bytes: 0, blocks: 1 });
  }
}

export function getItemSize(item: ListItem): RichSize {
  return addSizes({ bytes: 0, blocks: 1 }, getInnerSize(item.blocks));
}

export function getRowSize(row: readonly InlineText[], table: Table): RichSize {
  const empty = (table.rows[0]?.length ?? 0) * EMPTY_BYTES;
  return { bytes: empty + row.reduce((sum, cell) => sum + countBytes(cell), 0), blocks: 1 };
}

/** The Bot API refuses an empty list of blocks, so it gets one paragraph. */
function getInnerSize(blocks: readonly Block[]): RichSize {
  if (blocks.length === 0) return { bytes: EMPTY_BYTES, blocks: 1 };
  return blocks.map(getBlockSize).reduce(addSizes);
}

function countBytes(text: InlineText): number {
  return Buffer.byteLength(getText(text));
}
