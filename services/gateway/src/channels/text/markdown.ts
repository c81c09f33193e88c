import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

type Root = ReturnType<typeof fromMarkdown>;
export type MarkdownNode = Root['children'][number];

/** Parses markdown (CommonMark and GFM) into nodes. A single tilde is no strikethrough, since people write 10~20. */
export function parseMarkdown(markdown: string): readonly MarkdownNode[] {
  return fromMarkdown(markdown, { extensions: [gfm({ singleTilde: false })], mdastExtensions: [gfmFromMarkdown()] })
    .children;
}

export function getNodeText(node: MarkdownNode): string {
  if ('children' in node) return node.children.map(getNodeText).join('');
  if ('value' in node) return node.value;
  return 'alt' in node ? (node.alt ?? '') : '';
}
