import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { splitText } from './page/composer/writing.ts';
import { arrangeMessages } from './page/state/store.ts';
import { buildEntityTree, type EntityNode } from './page/text/entity-tree.ts';

type Tree = readonly EntityNode<{ type: string; offset: number; length: number }>[];
type Said = Parameters<typeof arrangeMessages>[0][number];

function show(nodes: Tree): string {
  return nodes
    .map((node) => (typeof node === 'string' ? node : `<${node.entity.type}>${show(node.children)}</>`))
    .join('');
}

test.each<[string, [string, number, number][], string]>([
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
])('buildEntityTree nests the entities of %j as elements of the page', (text, entities, expected) => {
  const given = entities.map(([type, offset, length]) => ({ type, offset, length }));
  expect(show(buildEntityTree(text, given))).toBe(expected);
});

test('splitText cuts a long text into parts within the limit and loses no word', () => {
  const words = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');
  const parts = splitText(words);
  expect(parts.every((part) => part.length <= 4_096)).toBe(true);
  expect(parts.join(' ')).toBe(words);
});

test('splitText does not cut a text without spaces inside an emoji', () => {
  const emoji = `x${'👍'.repeat(3_000)}`;
  const parts = splitText(emoji);
  expect(parts.join('')).toBe(emoji);
  expect(parts.every((part) => part.length <= 4_096 && !/\p{Surrogate}/u.test(part))).toBe(true);
});

const said = (messageId: number, more: object = {}): Said => ({
  messageId,
  from: { id: 100 },
  deleted: false,
  ephemeral: null,
  ...more,
});
const idsFor = (messages: readonly Said[], person: number): readonly number[] =>
  arrangeMessages(messages, person).map(({ messageId }) => messageId);

test('an ephemeral message is visible to its receiver alone until it is deleted', () => {
  const whisper = said(3, { ephemeral: { receiverId: 1001 } });
  expect(idsFor([whisper, said(1), said(2)], 1001)).toEqual([1, 2, 3]);
  expect(idsFor([whisper, said(1), said(2)], 1002)).toEqual([1, 2]);
  expect(idsFor([{ ...whisper, deleted: true }, said(1), said(2)], 1001)).toEqual([1, 2]);
});

test('an ephemeral command is visible only to its sender and the bot', () => {
  const command = said(1, { from: { id: 1001 }, ephemeral: { receiverId: 100 } });
  expect([1001, 1002, 100].map((person) => idsFor([command], person).length)).toEqual([1, 0, 1]);
});

test('no source file of the page inserts a text as HTML', () => {
  const folder = new URL('./page/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const unsafe = files.filter((name) =>
    /innerHTML|dangerouslySetInnerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(/.test(
      readFileSync(new URL(name, folder), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(unsafe).toEqual([]);
});
