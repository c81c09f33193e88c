import type { Nodes, Parents, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
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

/** Parsing holds up every other chat: about 0.3 s for this many characters. Longer texts go out as they are. */
const MAX_MARKDOWN_LENGTH = 100_000;
/** Telegram refuses messages in which there is nothing to see. */
const NOTHING = '…';

/**
 * Turns markdown (CommonMark and GFM) into text and entities. Telegram never gets to parse what a model wrote, so no text
 * can smuggle in buttons, images or HTML: raw HTML stays text. Never throws and never answers an empty text.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const source = markdown.replaceAll('\u0000', '').replaceAll('\r\n', '\n');
  if (source.length > MAX_MARKDOWN_LENGTH) return plainText(source);
  try {
    const root = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const formatted = createWriter().write(root.children);
    return formatted.text.trim() === '' ? plainText(source) : formatted;
  } catch (error) {
    // Thousands of nested quotes overflow the parser's stack. The text matters more than its looks.
    if (error instanceof RangeError) return plainText(source);
    throw error;
  }
}

/** The text as it is, without any formatting. */
export function plainText(text: string): FormattedText {
  return { text: text.trim() === '' ? NOTHING : text, entities: [], breaks: [] };
}

type Style = Omit<Entity, 'offset' | 'length'>;

function createWriter(): { write(nodes: readonly RootContent[]): FormattedText } {
  let text = '';
  const entities: Entity[] = [];
  const breaks: number[] = [];

  /** Marks what `write` adds, without blanks at its ends, which Telegram would cut off. */
  const mark = (style: Style, write: () => void): void => {
    const start = text.length;
    const place = entities.length;
    write();
    const added = text.slice(start);
    const length = added.trim().length;
    const offset = start + added.length - added.trimStart().length;
    if (length > 0) entities.splice(place, 0, { ...style, offset, length });
  };

  const inline = (nodes: readonly Nodes[]): void => nodes.forEach(inlineNode);

  const inlineNode = (node: Nodes): void => {
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
  const blocks = (nodes: readonly Nodes[], at: { readonly depth: number; readonly quoted: boolean }): void => {
    nodes.forEach((node, index) => {
      if (index > 0 || at.depth === 0) separate(at.depth === 0 ? 2 : 1);
      if (at.depth === 0) breaks.push(text.length);
      if (index > 0 && at.depth > 0 && node.type !== 'list') text += indent(at.depth);
      block(node, at);
    });
  };

  const block = (node: Nodes, at: { readonly depth: number; readonly quoted: boolean }): void => {
    switch (node.type) {
      case 'heading':
        return mark({ type: 'bold' }, () => inline(node.children));
      case 'paragraph':
        return inline(node.children);
      case 'code':
        return mark({ type: 'pre', ...(node.lang ? { language: node.lang } : {}) }, () => (text += node.value || ' '));
      case 'blockquote': {
        const inside = { depth: Math.max(1, at.depth), quoted: true };
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
          if (at.depth === 0) breaks.push(text.length);
          text += indent(at.depth) + (node.ordered ? `${(node.start ?? 1) + index}. ` : bullet(item.checked));
          blocks(item.children, { depth: at.depth + 1, quoted: at.quoted });
        });
      case 'table':
        return mark({ type: 'pre' }, () => (text += layOutTable(node)));
      case 'footnoteDefinition':
        text += `[${node.identifier}] `;
        return blocks(node.children, { depth: at.depth + 1, quoted: at.quoted });
      case 'definition':
        return;
      default:
        return isParent(node) ? inline(node.children) : inlineNode(node);
    }
  };

  return {
    write: (nodes) => {
      blocks(nodes, { depth: 0, quoted: false });
      return { text: text.trimEnd(), entities, breaks };
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

function indent(depth: number): string {
  return '   '.repeat(Math.min(depth, 6));
}

function bullet(checked: boolean | null | undefined): string {
  if (checked === true) return '☑ ';
  return checked === false ? '☐ ' : '• ';
}

function isParent(node: Nodes): node is Parents {
  return 'children' in node;
}
