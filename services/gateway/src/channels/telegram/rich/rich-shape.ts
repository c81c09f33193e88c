import type { Block, ListItem, Table } from '../../text/block.ts';
import { toPlainParagraph } from '../../text/document.ts';
import { formatBlocks } from '../format/format.ts';
import { MAX_COLUMNS } from './rich-size.ts';

/** Deeper lists and quotes become text, which leaves levels for the formatting inside. */
const MAX_BLOCK_DEPTH = 10;

/** Fits blocks to the depth and table width of rich messages. */
export function fitBlocks(blocks: readonly Block[], depth = 1): readonly Block[] {
  return blocks.flatMap((block) => fitBlock(block, depth));
}

function fitBlock(block: Block, depth: number): readonly Block[] {
  switch (block.type) {
    case 'list':
      if (depth > MAX_BLOCK_DEPTH) return [toPlainParagraph(formatBlocks([block]).text)];
      return [
        {
          type: 'list',
          items: block.items.map((item): ListItem => ({ ...item, blocks: fitBlocks(item.blocks, depth + 2) })),
        },
      ];
    case 'quote':
      if (depth > MAX_BLOCK_DEPTH) return fitBlocks(block.blocks, depth);
      return [{ type: 'quote', blocks: fitBlocks(block.blocks, depth + 1) }];
    case 'table':
      return splitColumns(block);
    default:
      return [block];
  }
}

/** Splits a wide table into several that repeat the first column. */
function splitColumns(table: Table): readonly Table[] {
  const width = Math.max(...table.rows.map((row) => row.length));
  if (width <= MAX_COLUMNS) return [table];
  const tables: Table[] = [];
  for (let from = 1; from < width; from += MAX_COLUMNS - 1) {
    const to = from + MAX_COLUMNS - 1;
    tables.push({
      type: 'table',
      aligns: [...table.aligns.slice(0, 1), ...table.aligns.slice(from, to)],
      rows: table.rows.map((row) => [...row.slice(0, 1), ...row.slice(from, to)]),
    });
  }
  return tables;
}
