import { getText, type Block } from '../../text/block.ts';
import { readBlocks } from '../../text/document.ts';

/** The longest speech, in UTF-16 units: about two minutes. */
const MAX_SPEECH_LENGTH = 2_000;

/** The text to read aloud for a markdown text, without code and dividers. */
export function toSpeech(markdown: string): string {
  const said = readBlocks(markdown).flatMap(toSpokenLines).filter(Boolean).join('\n');
  if (said.length <= MAX_SPEECH_LENGTH) return said;
  return said.slice(0, said.lastIndexOf(' ', MAX_SPEECH_LENGTH)).toWellFormed();
}

function toSpokenLines(block: Block): readonly string[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return [getText(block.text)];
    case 'quote':
      return block.blocks.flatMap(toSpokenLines);
    case 'list':
      return block.items.flatMap(({ blocks }) => blocks.flatMap(toSpokenLines));
    case 'table':
      return block.rows.map((row) => row.map(getText).join(', '));
    case 'code':
    case 'divider':
      return [];
  }
}
