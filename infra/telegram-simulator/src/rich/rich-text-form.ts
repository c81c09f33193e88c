import type { RichBlock, RichMessage, RichText } from 'grammy/types';

/** Converts a rich message to plain text, one line per paragraph, item and row. */
export function toPlainText(message: RichMessage): string {
  return message.blocks.map(blockText).filter(Boolean).join('\n');
}

/** Returns the text without formatting. */
export function stripFormatting(text: RichText | undefined): string {
  if (text === undefined) return '';
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(stripFormatting).join('');
  if (text.type === 'custom_emoji') return text.alternative_text;
  if (text.type === 'mathematical_expression') return text.expression;
  return 'text' in text ? stripFormatting(text.text) : '';
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
      return [stripFormatting(block.summary), ...block.blocks.map(blockText)].join('\n');
    case 'table':
      return block.cells.map((row) => row.map((cell) => stripFormatting(cell.text)).join(' | ')).join('\n');
    default:
      return 'text' in block ? stripFormatting(block.text) : '';
  }
}

function markOf(item: { label: string; has_checkbox?: true; is_checked?: true }): string {
  if (!item.has_checkbox) return item.label;
  return item.is_checked ? '☑' : '☐';
}
