import type { Block } from '../../text/block.ts';
import { isFolded } from './rich-block.ts';

/** True for a table, a heading, a nested list or foldable code. Other messages stay plain, which every server and client supports. */
export function isBetterRich(blocks: readonly Block[], mayFold: boolean): boolean {
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
