import type { Block } from '../../text/block.ts';
import { isFolded } from './rich-block.ts';

/**
 * Whether a message gains by being a rich one: it has a table, a heading, a list in a list or code that is long enough to be
 * folded. Everything else looks the same either way, and ordinary messages are what every server and every client knows.
 */
export function isBetterRich(blocks: readonly Block[], mayFold: boolean): boolean {
  return blocks.some((block) => gains(block, false, mayFold));
}

function gains(block: Block, inList: boolean, mayFold: boolean): boolean {
  switch (block.type) {
    case 'heading':
    case 'table':
      return true;
    case 'code':
      return mayFold && isFolded(block.text);
    case 'list':
      return inList || block.items.some((item) => item.blocks.some((inner) => gains(inner, true, mayFold)));
    case 'quote':
      return block.blocks.some((inner) => gains(inner, inList, mayFold));
    case 'paragraph':
    case 'divider':
      return false;
  }
}
