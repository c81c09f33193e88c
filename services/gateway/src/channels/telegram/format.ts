import { parseMarkdown, type Node, type Parent } from './markdown.ts';
import { cutPortions } from './portion.ts';
import { layOutTable } from './table.ts';

/** A span of a text, in UTF-16 units, as Telegram counts. */
export interface Entity {
  readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'pre' | 'text_link' | 'blockquote';
  readonly offset: number;
  readonly length: number;
  readonly language?: string;
  readonly url?: string;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Offsets at which a block or a list item begins: the best places to split. */
  readonly breaks: readonly number[];
}

/** Parsing holds up every other chat, and this is ten messages long already. Longer texts go out as they are. */
const MAX_MARKDOWN_LENGTH = 40_000;
/** Telegram refuses messages in which there is nothing to see. */
const NOTHING = '…';

/**
 * Turns markdown (CommonMark and GFM) into text and entities. Telegram never gets to parse what a model wrote, so no text
 * can smuggle in buttons, images or HTML: raw HTML stays text. Never throws and never answers an empty text.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = clean(markdown);
  if (source.length > MAX_MARKDOWN_LENGTH) return plainText(source);
  const writer = createWriter();
  for (const portion of cutPortions(source)) {
    if (portion.plain) writer.writePlain(portion.text);
    else writer.write(parseMarkdown(portion.text));
  }
  const formatted = writer.finish();
  return formatted.text.trim() === '' ? plainText(source) : formatted;
}

const ESCAPE = String.fromCharCode(27);
/** What programs write to color a terminal; log excerpts are full of it. */
const TERMINAL_CODES = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');

/** Without what Telegram would take out itself and then count differently: carriage returns and control characters. */
function clean(text: string): string {
  return text
    .replace(TERMINAL_CODES, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}

/** The text as it is, without any formatting. */
export function plainText(text: string): FormattedText {
  return { text: text.trim() === '' ? NOTHING : text, entities: [], breaks: [] };
}

/** Where a block stands: at the top of the message, in how many lists, in a quote. */
interface Place {
  readonly top: boolean;
  readonly level: number;
  readonly quoted: boolean;
}

type Style = Omit<Entity, 'offset' | 'length'>;

interface Writer {
  write(nodes: readonly Node[]): void;
  writePlain(text: string): void;
  finish(): FormattedText;
}

function createWriter(): Writer {
  let text = '';
  const entities: Entity[] = [];
  const breaks: number[] = [];

  /** Marks what `write` adds, without blanks at its ends, which Telegram would cut off. Code keeps its indentation. */
  const mark = (style: Style, write: () => void): void => {
    const start = text.length;
    const place = entities.length;
    write();
    const added = text.slice(start);
    const lead = style.type === 'pre' ? 0 : added.length - added.trimStart().length;
    const length = added.trimEnd().length - lead;
    const offset = start + lead;
    if (length > 0) entities.splice(place, 0, { ...style, offset, length });
  };

  const inline = (nodes: readonly Node[]): void => nodes.forEach(inlineNode);

  const inlineNode = (node: Node): void => {
    switch (node.type) {
      case 'break':
        text += '\n';
        return;
      case 'strong':
        return mark({ type: 'bold' }, () => inline(node.children));
      case 'emphasis':
        return mark({ type: 'italic' }, () => inline(node.children));
      case 'delete':
        return mark({ type: 'strikethrough' }, () => inline(node.children));
      case 'inlineCode':
        return mark({ type: 'code' }, () => (text += node.value));
      case 'link':
        return link(node.url, () => (node.children.length > 0 ? inline(node.children) : (text += node.url)));
      case 'image':
        return link(node.url, () => (text += node.alt || node.url));
      case 'footnoteReference':
        text += `[${node.identifier}]`;
        return;
      case 'imageReference':
        text += node.alt ?? node.identifier;
        return;
      default:
        if ('children' in node) inline(node.children);
        else if ('value' in node) text += node.value;
    }
  };

  const link = (url: string, write: () => void): void => {
    const start = text.length;
    if (!isLinkable(url)) {
      write();
      const address = readAddress(url);
      if (address !== null && !text.slice(start).includes(address)) text += ` (${address})`;
      return;
    }
    mark({ type: 'text_link', url }, write);
    const shown = text.slice(start);
    // Telegram finds a bare address by itself; an entity for it would only count against the limit.
    if (shown === url)
      entities.splice(
        entities.findIndex((one) => one.offset === start && one.type === 'text_link'),
        1,
      );
  };

  const separate = (lines: 1 | 2): void => {
    if (text === '') return;
    const wanted = '\n'.repeat(lines);
    while (!text.endsWith(wanted)) text += '\n';
  };

  /** Inside a list or a quote blocks follow each other closely; at the top there is an empty line between them. */
  const blocks = (nodes: readonly Node[], at: Place): void => {
    nodes.forEach((node, index) => {
      if (index > 0 || at.top) separate(at.top ? 2 : 1);
      if (at.top) breaks.push(text.length);
      if (index > 0 && node.type !== 'list') text += indent(at.level);
      block(node, at);
    });
  };

  const block = (node: Node, at: Place): void => {
    switch (node.type) {
      case 'heading':
        return mark({ type: 'bold' }, () => inline(node.children));
      case 'paragraph':
        return inline(node.children);
      case 'code':
        return mark({ type: 'pre', ...(node.lang ? { language: node.lang } : {}) }, () => (text += node.value || ' '));
      case 'blockquote': {
        const inside = { top: false, level: at.level, quoted: true };
        // Telegram has no quotes in quotes.
        if (at.quoted) return blocks(node.children, inside);
        return mark({ type: 'blockquote' }, () => blocks(node.children, inside));
      }
      case 'thematicBreak':
        text += '———';
        return;
      case 'list':
        return node.children.forEach((item, index) => {
          if (index > 0) separate(1);
          if (at.top) breaks.push(text.length);
          text += indent(at.level) + (node.ordered ? `${(node.start ?? 1) + index}. ` : bullet(item.checked));
          blocks(item.children, { top: false, level: at.level + 1, quoted: at.quoted });
        });
      case 'table':
        return mark({ type: 'pre' }, () => (text += layOutTable(node)));
      case 'footnoteDefinition':
        text += `[${node.identifier}] `;
        return blocks(node.children, { ...at, top: false });
      case 'definition':
        return;
      default:
        return isParent(node) ? inline(node.children) : inlineNode(node);
    }
  };

  return {
    write: (nodes) => blocks(nodes, { top: true, level: 0, quoted: false }),
    writePlain: (plain) => {
      separate(1);
      breaks.push(text.length);
      text += plain;
    },
    finish: () => {
      const shown = text.trimEnd();
      return { text: shown, entities, breaks: breaks.filter((at) => at < shown.length) };
    },
  };
}

/** Addresses that Telegram opens in a browser. Its own `tg:` links act inside the app: a model must not make those. */
function isLinkable(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  return new URL(url).hostname.includes('.');
}

/** What is worth reading of an address that Telegram makes no link of; null when it is better forgotten. */
function readAddress(url: string): string | null {
  if (/^mailto:/i.test(url)) return url.slice('mailto:'.length);
  return /^https?:/i.test(url) ? url : null;
}

function indent(level: number): string {
  return '   '.repeat(Math.min(level, 6));
}

function bullet(checked: boolean | null | undefined): string {
  if (checked === true) return '☑ ';
  return checked === false ? '☐ ' : '• ';
}

function isParent(node: Node): node is Parent {
  return 'children' in node;
}
