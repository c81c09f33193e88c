import { groupSpans, textOf, type Block, type InlineText, type ListItem, type Style } from '../../text/block.ts';
import { cleanText, isBlank } from '../../text/clean-text.ts';
import { readBlocks } from '../../text/document.ts';
import { layOutTable } from '../../text/table.ts';

/** A span of a text, in UTF-16 units, as Telegram counts. */
export interface Entity {
  readonly type: 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'pre' | 'text_link' | 'blockquote';
  readonly offset: number;
  readonly length: number;
  readonly language?: string;
  readonly url?: string;
}

/** Lines at the start of a stretch of text that are repeated wherever it is cut. */
export interface Head {
  readonly offset: number;
  /** Of the whole stretch. */
  readonly length: number;
  readonly text: string;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Offsets at which a block or a list item begins: the best places to split. */
  readonly breaks: readonly number[];
  readonly heads: readonly Head[];
}

/** Telegram refuses messages in which there is nothing to see. */
const NOTHING = '…';

/**
 * Turns markdown (CommonMark and GFM) into text and entities. Telegram never gets to parse what a model wrote, so no text
 * can smuggle in buttons, images or HTML: raw HTML stays text. Never throws and never answers an empty text.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = cleanText(markdown);
  const formatted = formatBlocks(readBlocks(source));
  return isBlank(formatted.text) ? plainText(source) : formatted;
}

/** The text as it is, without any formatting. */
export function plainText(text: string): FormattedText {
  return { text: isBlank(text) ? NOTHING : text, entities: [], breaks: [], heads: [] };
}

/** Where a block stands: at the top of the message, in how many lists, in a quote. */
interface Place {
  readonly top: boolean;
  readonly level: number;
  readonly quoted: boolean;
}

type Mark = Omit<Entity, 'offset' | 'length'>;

/** Blocks as text and entities, for an ordinary message. The text may be empty. */
export function formatBlocks(given: readonly Block[]): FormattedText {
  let text = '';
  const entities: Entity[] = [];
  const breaks: number[] = [];
  const heads: Head[] = [];

  /** Marks what `write` adds, without blanks at its ends, which Telegram would cut off. Code keeps its indentation. */
  const mark = (kind: Mark, write: () => void): void => {
    const start = text.length;
    const place = entities.length;
    write();
    const added = text.slice(start);
    const lead = kind.type === 'pre' ? 0 : added.length - added.trimStart().length;
    const length = added.trimEnd().length - lead;
    if (length > 0) entities.splice(place, 0, { ...kind, offset: start + lead, length });
  };

  const inline = (spans: InlineText, level = 0): void => {
    for (const group of groupSpans(spans, level)) {
      const kind = group.style && toMark(group.style, textOf(group.spans));
      const write = (): void => {
        if (group.style === null) text += textOf(group.spans);
        else inline(group.spans, level + 1);
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

  /** Inside a list or a quote blocks follow each other closely; at the top there is an empty line between them. */
  const blocks = (list: readonly Block[], at: Place): void => {
    list.forEach((block, index) => {
      if (index > 0 || at.top) separate(at.top ? 2 : 1);
      if (at.top) breaks.push(text.length);
      if (index > 0 && block.type !== 'list') text += indent(at.level);
      writeBlock(block, at);
    });
  };

  const writeBlock = (block: Block, at: Place): void => {
    switch (block.type) {
      case 'heading':
        return mark({ type: 'bold' }, () => inline(block.text));
      case 'paragraph':
        return inline(block.text);
      case 'code':
        return mark({ type: 'pre', ...(block.language === null ? {} : { language: block.language }) }, () => {
          text += block.text;
        });
      case 'quote': {
        const inside = { top: false, level: at.level, quoted: true };
        // Telegram has no quotes in quotes.
        if (at.quoted) return blocks(block.blocks, inside);
        return mark({ type: 'blockquote' }, () => blocks(block.blocks, inside));
      }
      case 'divider':
        text += '———';
        return;
      case 'list':
        return block.items.forEach((item, index) => {
          if (index > 0) separate(1);
          if (at.top) breaks.push(text.length);
          text += indent(at.level) + labelOf(item);
          blocks(item.blocks, { top: false, level: at.level + 1, quoted: at.quoted });
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

  blocks(given, { top: true, level: 0, quoted: false });
  const shown = text.trimEnd();
  return { text: shown, entities, breaks: breaks.filter((at) => at < shown.length), heads };
}

function toMark(style: Style, shown: string): Mark | null {
  if (style.type !== 'url') return { type: style.type };
  // Telegram finds a bare address by itself; an entity for it would only count against the limit.
  return shown === style.url ? null : { type: 'text_link', url: style.url };
}

function indent(level: number): string {
  return '   '.repeat(Math.min(level, 6));
}

function labelOf({ number, checked }: ListItem): string {
  const box = checked === true ? '☑ ' : '☐ ';
  if (number !== null) return `${number}. ${checked === null ? '' : box}`;
  return checked === null ? '• ' : box;
}
