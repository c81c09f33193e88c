import { getItemLabel, groupSpans, getText, type Block, type InlineText, type Style } from '../../text/block.ts';
import { cleanText, isBlank } from '../../text/clean-text.ts';
import { readBlocks } from '../../text/document.ts';
import { layOutTable } from '../../text/table.ts';

/** A formatted span of a text, in UTF-16 units as Telegram counts. */
export interface TextEntity {
  readonly type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'pre' | 'text_link' | 'blockquote';
  readonly offset: number;
  readonly length: number;
  readonly language?: string;
  readonly url?: string;
}

/** The header lines of a range of text, which each message repeats after a split. */
export interface RepeatedHeader {
  readonly offset: number;
  /** The length of the whole range, not of the header. */
  readonly length: number;
  readonly text: string;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly TextEntity[];
  /** Offsets of blocks and list items: the best places to split. */
  readonly breaks: readonly number[];
  readonly heads: readonly RepeatedHeader[];
}

/** Sent for an empty text, because Telegram refuses messages without visible text. */
const PLACEHOLDER = '…';

/** Converts markdown to text and entities, so that a model cannot add buttons, images or HTML. Never throws, never empty. */
export function formatMarkdown(markdown: string): FormattedText {
  const source = cleanText(markdown);
  const formatted = formatBlocks(readBlocks(source));
  return isBlank(formatted.text) ? toPlainText(source) : formatted;
}

/** The text without any formatting. */
export function toPlainText(text: string): FormattedText {
  return { text: isBlank(text) ? PLACEHOLDER : text, entities: [], breaks: [], heads: [] };
}

/** Where a block stands: at the top, at a list depth, in a quote. */
interface BlockContext {
  readonly top: boolean;
  readonly level: number;
  readonly quoted: boolean;
}

type EntityKind = Omit<TextEntity, 'offset' | 'length'>;

/** Formats blocks as text and entities for a plain message. The text may be empty. */
export function formatBlocks(given: readonly Block[]): FormattedText {
  let text = '';
  const entities: TextEntity[] = [];
  const breaks: number[] = [];
  const heads: RepeatedHeader[] = [];

  /** Marks what `write` adds, without blanks at the ends, which Telegram would trim. Code keeps its indentation. */
  const mark = (kind: EntityKind, write: () => void): void => {
    const start = text.length;
    const place = entities.length;
    write();
    const added = text.slice(start);
    const lead = kind.type === 'pre' ? 0 : added.length - added.trimStart().length;
    const length = added.trimEnd().length - lead;
    if (length > 0) entities.splice(place, 0, { ...kind, offset: start + lead, length });
  };

  const writeInline = (spans: InlineText, level = 0): void => {
    for (const group of groupSpans(spans, level)) {
      const kind = group.style && toEntityKind(group.style, getText(group.spans));
      const write = (): void => {
        if (group.style === null) text += getText(group.spans);
        else writeInline(group.spans, level + 1);
      };
      if (kind) mark(kind, write);
      else write();
    }
  };

  const separate = (lines: 1 | 2): void => {
    if (text === '') return;
    const wanted = '\n'.repeat(lines);
    while (!text.endsWith(wanted)) text += '\n';
  };

  /** Blocks in a list or quote follow closely; an empty line separates top-level blocks. */
  const writeBlocks = (list: readonly Block[], at: BlockContext): void => {
    list.forEach((block, index) => {
      if (index > 0 || at.top) separate(at.top ? 2 : 1);
      if (at.top) breaks.push(text.length);
      if (index > 0 && block.type !== 'list') text += indent(at.level);
      writeBlock(block, at);
    });
  };

  const writeBlock = (block: Block, at: BlockContext): void => {
    switch (block.type) {
      case 'heading':
        return mark({ type: 'bold' }, () => writeInline(block.text));
      case 'paragraph':
        return writeInline(block.text);
      case 'code':
        return mark({ type: 'pre', ...(block.language === null ? {} : { language: block.language }) }, () => {
          text += block.text;
        });
      case 'quote': {
        const inside = { top: false, level: at.level, quoted: true };
        // Telegram has no nested quotes.
        if (at.quoted) return writeBlocks(block.blocks, inside);
        return mark({ type: 'blockquote' }, () => writeBlocks(block.blocks, inside));
      }
      case 'divider':
        text += '———';
        return;
      case 'list':
        return block.items.forEach((item, index) => {
          if (index > 0) separate(1);
          if (at.top) breaks.push(text.length);
          text += indent(at.level) + getItemLabel(item);
          writeBlocks(item.blocks, { top: false, level: at.level + 1, quoted: at.quoted });
        });
      case 'table': {
        const table = layOutTable(block);
        const offset = text.length;
        if (table.aligned) mark({ type: 'pre' }, () => (text += table.text));
        else text += table.text;
        if (table.head !== null) heads.push({ offset, length: table.text.length, text: table.head });
        return;
      }
    }
  };

  writeBlocks(given, { top: true, level: 0, quoted: false });
  const shown = text.trimEnd();
  return { text: shown, entities, breaks: breaks.filter((at) => at < shown.length), heads };
}

function toEntityKind(style: Style, shown: string): EntityKind | null {
  if (style.type !== 'url') return { type: style.type };
  // Telegram links a bare address itself; an entity would only count against the limit.
  return shown === style.url ? null : { type: 'text_link', url: style.url };
}

function indent(level: number): string {
  return '   '.repeat(Math.min(level, 6));
}
