import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Node {
  readonly entity: { readonly type: string };
  readonly children: readonly (string | Node)[];
}
type BuildEntityTree = (text: string, entities: readonly object[]) => readonly (string | Node)[];
type SplitText = (text: string) => readonly string[];

const folder = new URL('./page/', import.meta.url);
// Browser files have no types; these are what they declare in words.
const { buildEntityTree } = (await import(new URL('entity-tree.js', folder).href)) as {
  buildEntityTree: BuildEntityTree;
};
const { splitText } = (await import(new URL('text-parts.js', folder).href)) as { splitText: SplitText };

function show(nodes: readonly (string | Node)[]): string {
  return nodes
    .map((node) => (typeof node === 'string' ? node : `<${node.entity.type}>${show(node.children)}</>`))
    .join('');
}

test.each([
  ['👋 hi there', [['bold', 3, 2]], '👋 <bold>hi</> there'],
  [
    'abc',
    [
      ['italic', 1, 1],
      ['bold', 0, 3],
    ],
    '<bold>a<italic>b</>c</>',
  ],
  [
    'abcd',
    [
      ['bold', 0, 3],
      ['italic', 2, 2],
    ],
    '<bold>ab<italic>c</></><italic>d</>',
  ],
  ['see\n\ncode\nend', [['pre', 5, 4]], 'see\n<pre>code</>end'],
  ['short', [['bold', 2, 50]], 'sh<bold>ort</>'],
  ['none', [['bold', 9, 2]], 'none'],
])('the entities of %j nest as they are shown', (text, entities, expected) => {
  const given = entities.map(([type, offset, length]) => ({ type, offset, length }));
  expect(show(buildEntityTree(text, given))).toBe(expected);
});

test('a long text becomes parts that fit and together say the same', () => {
  const words = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');
  const parts = splitText(words);
  expect(parts.every((part) => part.length <= 4_096)).toBe(true);
  expect(parts.join(' ')).toBe(words);
});

test('a text without spaces is not cut inside an emoji', () => {
  const emoji = `x${'👍'.repeat(3_000)}`;
  const parts = splitText(emoji);
  expect(parts.join('')).toBe(emoji);
  expect(parts.every((part) => part.length <= 4_096 && !/\p{Surrogate}/u.test(part))).toBe(true);
});

test('no file of the page turns a text into markup', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const unsafe = files.filter((name) =>
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(/.test(
      readFileSync(new URL(name, folder), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(unsafe).toEqual([]);
});
