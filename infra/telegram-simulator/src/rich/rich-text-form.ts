import type { RichBlock, RichMessage, RichText } from 'grammy/types';

/** A rich message as plain text, one line per paragraph, item and row: for whoever shows or compares only text. */
export function toPlainText(message: RichMessage): string {
  return message.blocks.map(blockText).filter(Boolean).join('\n');
}

/** The words of a text without its formatting. */
export function plainOf(text: RichText | undefined): string {
  if (text === undefined) return '';
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(plainOf).join('');
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
    default:
      return 'text' in block ? plainOf(block.text) : '';
  }
}

function markOf(item: { label: string; has_checkbox?: true; is_checked?: true }): string {
  if (!item.has_checkbox) return item.label;
  return item.is_checked ? '☑' : '☐';
}
