import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

type Root = ReturnType<typeof fromMarkdown>;
/** Anything below the root of a markdown tree. */
export type Node = Root['children'][number];
export type Parent = Extract<Node, { children: readonly unknown[] }>;
export type Table = Extract<Node, { type: 'table' }>;

/** The blocks of a markdown text (CommonMark and GFM), in order. */
export function parseMarkdown(markdown: string): readonly Node[] {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }).children;
}
