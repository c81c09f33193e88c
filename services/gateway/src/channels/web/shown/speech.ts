import { textOf, type Block } from '../../text/block.ts';
import { readBlocks } from '../../text/document.ts';

/** What is read aloud at most, in UTF-16 units: some two minutes. The whole text stands on the page. */
const MAX_SAID = 2_000;

/** What a page reads aloud of a markdown text. Code and lines that divide are seen and not said. */
export function toSpeech(markdown: string): string {
  const said = readBlocks(markdown).flatMap(sayBlock).filter(Boolean).join('\n');
  if (said.length <= MAX_SAID) return said;
  return said.slice(0, said.lastIndexOf(' ', MAX_SAID)).toWellFormed();
}

function sayBlock(block: Block): readonly string[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return [textOf(block.text)];
    case 'quote':
      return block.blocks.flatMap(sayBlock);
    case 'list':
      return block.items.flatMap(({ blocks }) => blocks.flatMap(sayBlock));
    case 'table':
      return block.rows.map((row) => row.map(textOf).join(', '));
    case 'code':
    case 'divider':
      return [];
  }
}
