import type { RichBlock, RichMessage, RichMessageButton, RichText } from 'grammy/types';

/** A rich message as plain text, one line per paragraph, item and row: for whoever shows or compares only text. */
export function toPlainText(message: RichMessage): string {
  return message.blocks.map(blockText).filter(Boolean).join('\n');
}

/** All buttons inside a rich message, in reading order. */
export function listRichButtons(message: RichMessage): RichMessageButton[] {
  return message.blocks.flatMap(blockButtons);
}

/** The words of a text without its formatting. */
export function plainOf(text: RichText | undefined): string {
  if (text === undefined) return '';
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(plainOf).join('');
  if (text.type === 'button') return `[${plainOf(text.button.text)}]`;
  if (text.type === 'custom_emoji') return text.alternative_text;
  if (text.type === 'mathematical_expression') return text.expression;
  return 'text' in text ? plainOf(text.text) : '';
}

function blockText(block: RichBlock): string {
  switch (block.type) {
    case 'divider':
      return '———';
    case 'mathematical_expression':
      return block.expression;
    case 'list':
      return block.items.map((item) => `${markOf(item)} ${item.blocks.map(blockText).join('\n')}`).join('\n');
    case 'blockquote':
      return block.blocks.map(blockText).join('\n');
    case 'details':
      return [plainOf(block.summary), ...block.blocks.map(blockText)].join('\n');
    case 'table':
      return block.cells.map((row) => row.map((cell) => plainOf(cell.text)).join(' | ')).join('\n');
    case 'buttons':
      return block.buttons.map((button) => `[${plainOf(button.text)}]`).join(' ');
    default:
      return 'text' in block ? plainOf(block.text) : '';
  }
}

function markOf(item: { label: string; has_checkbox?: true; is_checked?: true }): string {
  if (!item.has_checkbox) return item.label;
  return item.is_checked ? '☑' : '☐';
}

function blockButtons(block: RichBlock): RichMessageButton[] {
  if (block.type === 'buttons') return block.buttons;
  if (block.type === 'list') return block.items.flatMap((item) => item.blocks.flatMap(blockButtons));
  if (block.type === 'table') return block.cells.flat().flatMap((cell) => textButtons(cell.text));
  const inner = 'blocks' in block ? block.blocks.flatMap(blockButtons) : [];
  const own = 'text' in block ? textButtons(block.text) : [];
  const summary = block.type === 'details' ? textButtons(block.summary) : [];
  return [...summary, ...own, ...inner];
}

function textButtons(text: RichText | undefined): RichMessageButton[] {
  if (text === undefined || typeof text === 'string') return [];
  if (Array.isArray(text)) return text.flatMap(textButtons);
  if (text.type === 'button') return [text.button];
  return 'text' in text ? textButtons(text.text) : [];
}
