import type { Block, ListItem, Table } from '../../text/block.ts';
import { plainParagraph } from '../../text/document.ts';
import { formatBlocks } from '../format/format.ts';
import { MAX_COLUMNS } from './rich-size.ts';

/** Lists and quotes nested deeper than this are written as text; it leaves the formatting inside some levels of its own. */
const MAX_BLOCK_DEPTH = 10;

/** The blocks in a shape that a rich message can have: not too deep, and no table wider than Telegram takes. */
export function fitShape(blocks: readonly Block[], depth = 1): readonly Block[] {
  return blocks.flatMap((block) => fitBlock(block, depth));
}

function fitBlock(block: Block, depth: number): readonly Block[] {
  switch (block.type) {
    case 'list':
      if (depth > MAX_BLOCK_DEPTH) return [plainParagraph(formatBlocks([block]).text)];
      return [
        {
          type: 'list',
          items: block.items.map((item): ListItem => ({ ...item, blocks: fitShape(item.blocks, depth + 2) })),
        },
      ];
    case 'quote':
      if (depth > MAX_BLOCK_DEPTH) return fitShape(block.blocks, depth);
      return [{ type: 'quote', blocks: fitShape(block.blocks, depth + 1) }];
    case 'table':
      return splitColumns(block);
    default:
      return [block];
  }
}

/** A table that is too wide as several, each with the first column, by which the rows are known. */
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
