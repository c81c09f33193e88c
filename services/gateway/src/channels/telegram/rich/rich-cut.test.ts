import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../text/block.ts';
import { readBlocks } from '../../text/document.ts';
import { formatBlocks } from '../format/format.ts';
import { splitIntoSections } from './rich-cut.ts';
import { isWithin, getBlockSize, addSizes } from './rich-size.ts';

const LIMIT = { bytes: 300, blocks: 24 };
const words = (blocks: readonly Block[]): readonly string[] => formatBlocks(blocks).text.match(/w\d+/g) ?? [];
const cut = (markdown: string): readonly (readonly Block[])[] => splitIntoSections(readBlocks(markdown), LIMIT);
const repeat = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('every part of a rich message is within the limit, and the parts hold all blocks in order', () => {
  const block = fc.oneof(
    fc.integer({ min: 1, max: 90 }).map((count) => '¤ '.repeat(count)),
    fc.integer({ min: 1, max: 30 }).map((count) => repeat(count, () => '- ¤ **¤**')),
    fc.integer({ min: 1, max: 30 }).map((count) => repeat(count, (n) => `${n + 1}. ¤\n   - ¤ ${'¤ '.repeat(n * 3)}`)),
    fc.integer({ min: 1, max: 30 }).map((count) => `\`\`\`\n${repeat(count, () => '  ¤ ¤')}\n\`\`\``),
    fc.integer({ min: 1, max: 30 }).map((count) => repeat(count, () => '> ¤\n>')),
    fc.integer({ min: 1, max: 30 }).map((count) => `> - ¤\n>   ${'¤ '.repeat(count * 5)}`),
    fc.constant('# ¤'),
    fc.constant('---'),
  );
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), (blocks) => {
      let next = 0;
      const markdown = blocks.join('\n\n').replaceAll('¤', () => `w${(next += 1)}`);
      const sections = cut(markdown);
      for (const section of sections) {
        expect(section.length).toBeGreaterThan(0);
        expect(isWithin(section.map(getBlockSize).reduce(addSizes), LIMIT)).toBe(true);
      }
      expect(sections.flatMap(words)).toEqual(markdown.match(/w\d+/g) ?? []);
    }),
    { numRuns: 60 },
  );
});

test('a table that is split repeats its header and keeps every row', () => {
  const sections = cut(`| h | i |\n|---|---|\n${repeat(40, (n) => `| w${n} | x |`)}`);
  expect(sections.length).toBeGreaterThan(1);
  for (const [table] of sections) expect(formatBlocks(table ? [table] : []).text).toMatch(/^h +│ i\n/);
  expect(sections.flatMap(words)).toEqual(Array.from({ length: 40 }, (_, n) => `w${n}`));
});

test('a table row over the limit becomes paragraphs that begin with the column names', () => {
  const [first] = cut(
    `| key | text |\n|---|---|\n| w0 | ${repeat(200, (n) => `w${n + 1} `).replaceAll('\n', '')}|\n| w201 | x |`,
  );
  expect(formatBlocks(first ?? []).text).toMatch(/^key: w0\n\ntext: w1 w2/);
});

test('a numbered list that is split continues its numbers', () => {
  const sections = cut(repeat(30, (n) => `${n + 1}. w${n}`));
  expect(sections.length).toBeGreaterThan(1);
  const numbers = sections
    .flat()
    .flatMap((block) => (block.type === 'list' ? block.items.map((item) => item.number) : []));
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
});

test('a block that fits into a message of its own is not split', () => {
  const code = `\`\`\`\n${repeat(20, () => 'some code')}\n\`\`\``;
  const sections = cut(`${'w0 '.repeat(40)}\n\n${code}`);
  expect(sections.map((section) => section.map((block) => block.type))).toEqual([['paragraph'], ['code']]);
});

test('no emoji sequence is split between two messages', () => {
  for (const section of cut(`x${'👨‍👩‍👧‍👦'.repeat(60)}`)) {
    expect(formatBlocks(section).text.replace('x', '').replaceAll('👨‍👩‍👧‍👦', '')).toBe('');
  }
});
