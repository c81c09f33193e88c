import { expect, test } from 'vitest';
import { formatMarkdown } from './format.ts';
import { splitText } from './split.ts';

const repeatLines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('a table whose rows have too few or too many cells loses no cell', () => {
  expect(formatMarkdown('| a | b |\n|---|---|\n| 1 |\n| 2 | 3 | 4 |').text).toBe(
    'a │ b │\n──┼───┼──\n1 │   │\n2 │ 3 │ 4',
  );
});

test('a table that has only a header row is shown', () => {
  expect(formatMarkdown('| name |\n|---|').text).toBe('name\n────');
});

test('a table that is too wide is shown as one paragraph per row', () => {
  const { text, entities } = formatMarkdown(`| name | note |\n|---|---|\n| shop | ${'long '.repeat(20)}|\n| blog | |`);
  expect(text).toBe(`name: shop\nnote: ${'long '.repeat(20).trim()}\n\nname: blog\nnote: –`);
  expect(entities).toEqual([]);
});

test('a line break in a table cell becomes a space', () => {
  expect(formatMarkdown('| a | b |\n|---|---|\n| x<br>y | z |').text).toBe('a   │ b\n────┼──\nx y │ z');
});

test('a Hebrew cell does not reverse the order of the cells beside it', () => {
  const { text } = formatMarkdown('| שם | n |\n|---|--:|\n| חנות | 8080 |');
  expect(text).toBe('\u2068שם\u2069   │    n\n─────┼─────\n\u2068חנות\u2069 │ 8080');
});

test("each message that continues a table begins with the table's header", () => {
  const table = formatMarkdown(
    `| name | port |\n|---|---|\n${repeatLines(600, (n) => `| project-${n} | ${8000 + n} |`)}\n\nend`,
  );
  const parts = splitText(table);
  expect(parts.length).toBeGreaterThan(2);
  for (const { text, entities } of parts) {
    expect(text).toMatch(/^name +│ port\n─+┼─+\nproject-\d+ +│ \d+\n/);
    expect(entities[0]).toMatchObject({ type: 'pre', offset: 0 });
    expect(text.length).toBeLessThanOrEqual(4_096);
  }
  expect(parts.flatMap(({ text }) => text.match(/project-\d+/g) ?? [])).toEqual(
    Array.from({ length: 600 }, (_, n) => `project-${n}`),
  );
});
