import { toPlainSpan, getText, type Block, type InlineText, type ListItem } from './block.ts';
import { isBlank } from './clean-text.ts';
import { toInlineText } from './inline.ts';
import { parseMarkdown, type MarkdownNode } from './markdown.ts';
import { splitIntoChunks } from './chunk.ts';

/** Longer texts are sent unformatted, because parsing blocks every other chat. */
const MAX_MARKDOWN_LENGTH = 40_000;

/** Parses clean markdown (CommonMark and GFM) into blocks. Text that would take too long to parse stays plain. Never throws. */
export function readBlocks(source: string): readonly Block[] {
  if (source.length > MAX_MARKDOWN_LENGTH) return [toPlainParagraph(source)];
  const blocks: Block[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) blocks.push(toPlainParagraph(plain.join('\n')));
    plain = [];
  };
  for (const chunk of splitIntoChunks(source)) {
    if (chunk.plain) {
      plain.push(chunk.text);
      continue;
    }
    flush();
    addChunk(blocks, parseMarkdown(chunk.text));
  }
  flush();
  return blocks;
}

export function toPlainParagraph(text: string): Block {
  return { type: 'paragraph', text: toPlainSpan(text) };
}

/** Adds the blocks of a chunk, and joins a list that was cut between two chunks. */
function addChunk(blocks: Block[], nodes: readonly MarkdownNode[]): void {
  const added = readChunk(nodes);
  const [first] = added;
  const last = blocks.at(-1);
  if (first?.type === 'list' && last?.type === 'list' && isContinuation(last.items, first.items)) {
    blocks[blocks.length - 1] = { type: 'list', items: [...last.items, ...first.items] };
    added.shift();
  }
  blocks.push(...added);
}

function isContinuation(before: readonly ListItem[], after: readonly ListItem[]): boolean {
  const [last, first] = [before.at(-1), after[0]];
  if (!last || !first) return false;
  return last.number === null ? first.number === null : first.number === last.number + 1;
}

function readChunk(nodes: readonly MarkdownNode[]): Block[] {
  const definitions = new Map<string, string>();
  const used = new Set<string>();
  const collect = (node: MarkdownNode): void => {
    if (node.type === 'definition') definitions.set(node.identifier, node.url);
    if (node.type === 'linkReference' || node.type === 'imageReference') used.add(node.identifier);
    if ('children' in node) node.children.forEach(collect);
  };
  nodes.forEach(collect);
  const read = (children: readonly MarkdownNode[]): Block[] => children.flatMap(readNode);
  const inline = (children: readonly MarkdownNode[]): InlineText => toInlineText(children, definitions);

  const readNode = (node: MarkdownNode): readonly Block[] => {
    switch (node.type) {
      case 'heading':
        return dropBlank({ type: 'heading', size: node.depth, text: inline(node.children) });
      case 'paragraph':
        return dropBlank({ type: 'paragraph', text: inline(node.children) });
      case 'code':
        return readCode(node);
      case 'blockquote':
        return [{ type: 'quote', blocks: read(node.children) }];
      case 'thematicBreak':
        return [{ type: 'divider' }];
      case 'list':
        return [
          {
            type: 'list',
            items: node.children.map((item, place) => ({
              number: node.ordered ? (node.start ?? 1) + place : null,
              checked: item.checked ?? null,
              blocks: read(item.children),
            })),
          },
        ];
      case 'table':
        return [
          {
            type: 'table',
            aligns: node.align ?? [],
            rows: node.children.map((row) => row.children.map((cell) => inline(cell.children))),
          },
        ];
      case 'footnoteDefinition':
        return addLabel(`[${node.label ?? node.identifier}] `, read(node.children));
      case 'definition':
        // Shows an address that no reference uses.
        return used.has(node.identifier) ? [] : [toPlainParagraph(`[${node.label ?? node.identifier}]: ${node.url}`)];
      default:
        return dropBlank({ type: 'paragraph', text: inline([node]) });
    }
  };
  return read(nodes);
}

/** A language name, and attributes behind it; any other text after a fence is a sentence and is shown. */
const LANGUAGE = /^[\w#+.-]{1,30}$/;
const ATTRIBUTES = /[={]/;

function readCode({ lang, meta, value }: Extract<MarkdownNode, { type: 'code' }>): readonly Block[] {
  const isSentence = Boolean(lang && !LANGUAGE.test(lang)) || Boolean(meta && !ATTRIBUTES.test(meta));
  const info = [isSentence ? lang : null, meta].filter((word) => word).join(' ');
  const language = isSentence ? null : lang || null;
  return [
    ...(info === '' ? [] : [toPlainParagraph(info)]),
    ...(isBlank(value) ? [] : [{ type: 'code' as const, text: value, language }]),
  ];
}

function dropBlank(block: Extract<Block, { text: InlineText }>): readonly Block[] {
  return isBlank(getText(block.text)) ? [] : [block];
}

function addLabel(text: string, blocks: readonly Block[]): readonly Block[] {
  const [first, ...rest] = blocks;
  if (first?.type !== 'paragraph') return [toPlainParagraph(text), ...blocks];
  return [{ ...first, text: [...toPlainSpan(text), ...first.text] }, ...rest];
}
