import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

type Root = ReturnType<typeof fromMarkdown>;
/** Any node below the root of a markdown tree. */
export type Node = Root['children'][number];

/** Parses markdown (CommonMark and GFM) into block nodes. A single tilde is no strikethrough: people write 10~20. */
export function parseMarkdown(markdown: string): readonly Node[] {
  return fromMarkdown(markdown, { extensions: [gfm({ singleTilde: false })], mdastExtensions: [gfmFromMarkdown()] })
    .children;
}

/** The text of a node without its formatting. */
export function getNodeText(node: Node): string {
  if ('children' in node) return node.children.map(getNodeText).join('');
  if ('value' in node) return node.value;
  return 'alt' in node ? (node.alt ?? '') : '';
}
