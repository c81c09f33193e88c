import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

type Root = ReturnType<typeof fromMarkdown>;
/** Anything below the root of a markdown tree. */
export type Node = Root['children'][number];

/** The blocks of a markdown text (CommonMark and GFM), in order. One tilde strikes nothing out: people write 10~20. */
export function parseMarkdown(markdown: string): readonly Node[] {
  return fromMarkdown(markdown, { extensions: [gfm({ singleTilde: false })], mdastExtensions: [gfmFromMarkdown()] })
    .children;
}

/** What a node says, without its formatting. */
export function flatten(node: Node): string {
  if ('children' in node) return node.children.map(flatten).join('');
  if ('value' in node) return node.value;
  return 'alt' in node ? (node.alt ?? '') : '';
}
