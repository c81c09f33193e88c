import type { InlineText, Span, Style } from './block.ts';
import { hasRightToLeft, DIRECTION_ISOLATE } from './clean-text.ts';
import { getNodeText, type MarkdownNode } from './markdown.ts';

/** Addresses of reference links, by identifier. */
export type LinkDefinitions = ReadonlyMap<string, string>;

/** Reads inline content. HTML stays text, images become descriptions, web addresses links; other addresses are written out. */
export function toInlineText(nodes: readonly MarkdownNode[], definitions: LinkDefinitions): InlineText {
  const spans: Span[] = [];
  const add = (text: string, styles: readonly Style[]): void => {
    if (text !== '') spans.push({ text, styles });
  };
  const mixed = hasRightToLeft(nodes.map(getNodeText).join(''));
  /** Isolates code and links, whose symbols right-to-left text would reorder. */
  const addIsolated = (styles: readonly Style[], write: () => void): void => {
    if (mixed) add(DIRECTION_ISOLATE.start, styles);
    write();
    if (mixed) add(DIRECTION_ISOLATE.end, styles);
  };

  const read = (children: readonly MarkdownNode[], styles: readonly Style[]): void =>
    children.forEach((node, place) => {
      const mark = findLiteralMark(node, children[place - 1], children[place + 1]);
      if (mark === null) return readNode(node, styles);
      add(mark, styles);
      if ('children' in node) read(node.children, styles);
      add(mark, styles);
    });

  const readNode = (node: MarkdownNode, styles: readonly Style[]): void => {
    switch (node.type) {
      case 'break':
        return add('\n', styles);
      case 'html':
        return add(/^<br\s*\/?>$/i.test(node.value) ? '\n' : node.value, styles);
      case 'strong':
        return read(node.children, [...styles, { type: 'bold' }]);
      case 'emphasis':
        return read(node.children, [...styles, { type: 'italic' }]);
      case 'delete':
        return read(node.children, [...styles, { type: 'strikethrough' }]);
      case 'inlineCode':
        return addIsolated(styles, () => add(node.value, [...styles, { type: 'code' }]));
      case 'link':
        return readLink(node.url, node.children, styles);
      case 'linkReference':
        return readLink(definitions.get(node.identifier) ?? '', node.children, styles);
      case 'image':
        return readLink(node.url, [{ type: 'text', value: node.alt || node.url }], styles);
      case 'imageReference': {
        const url = definitions.get(node.identifier) ?? '';
        return readLink(url, [{ type: 'text', value: node.alt || url }], styles);
      }
      case 'footnoteReference':
        return add(`[${node.label ?? node.identifier}]`, styles);
      default:
        if ('children' in node) read(node.children, styles);
        else if ('value' in node) add(node.value, styles);
    }
  };

  const readLink = (url: string, children: readonly MarkdownNode[], styles: readonly Style[]): void => {
    const shown = children.map(getNodeText).join('');
    if (isLinkable(url) && !hidesTarget(shown, url)) {
      const inside: readonly Style[] = [...styles, { type: 'url', url: /\s/.test(url) ? new URL(url).href : url }];
      return addIsolated(styles, () => (shown.trim() === '' ? add(url, inside) : read(children, inside)));
    }
    read(children, styles);
    const address = toShownAddress(url);
    if (address === null || shown.includes(address)) return;
    add(shown === '' ? '' : ' (', styles);
    addIsolated(styles, () => add(address, styles));
    add(shown === '' ? '' : ')', styles);
  };

  read(nodes, []);
  return spans;
}

/** The literal marks of emphasis inside a word: `2*3*4` and `a*b*.txt` keep their stars. */
function findLiteralMark(
  node: MarkdownNode,
  before: MarkdownNode | undefined,
  after: MarkdownNode | undefined,
): string | null {
  if (node.type !== 'emphasis' && node.type !== 'strong') return null;
  const isInWord =
    before?.type === 'text' &&
    /[\p{L}\p{N}]$/u.test(before.value) &&
    after?.type === 'text' &&
    /^\.?[\p{L}\p{N}]/u.test(after.value);
  if (!isInWord) return null;
  return node.type === 'strong' ? '**' : '*';
}

/** True for web addresses. Telegram's `tg:` links act inside the app, which a model must not trigger. */
function isLinkable(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  return new URL(url).hostname.includes('.');
}

/** True when a link shows one address and leads to another. */
function hidesTarget(shown: string, url: string): boolean {
  const claim = /^\s*((?:https?:\/\/|www\.)\S+)/i.exec(shown)?.[1];
  if (claim === undefined) return false;
  const claimed = /^www\./i.test(claim) ? `http://${claim}` : claim;
  return !URL.canParse(claimed) || getHost(claimed) !== getHost(url);
}

function getHost(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** Characters shown of a `data:` address, which may be a megabyte long. */
const MAX_DATA_LENGTH = 40;

/** The text that shows an address without a link; null for an address that is not worth showing. */
function toShownAddress(url: string): string | null {
  if (/^mailto:/i.test(url)) return url.slice('mailto:'.length);
  if (/^data:/i.test(url)) return url.length > MAX_DATA_LENGTH ? `${url.slice(0, MAX_DATA_LENGTH)}…` : url;
  // An anchor in the same document leads nowhere in a chat.
  return url === '' || url.startsWith('#') ? null : url;
}
