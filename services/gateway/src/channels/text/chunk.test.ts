import { describe, expect, test } from 'vitest';
import { splitIntoChunks } from './chunk.ts';

const repeat = (count: number, line: string): string => Array.from({ length: count }, () => line).join('\n');
const kinds = (text: string): readonly string[] =>
  splitIntoChunks(text).map((chunk) => (chunk.plain ? 'plain' : 'parsed'));

describe('splitIntoChunks does not split', () => {
  test.each([
    [
      'a table with more bars than a paragraph may have marks',
      `| a | b |\n|---|---|\n${repeat(200, '| **1** | `2` |')}`,
    ],
    ['a table without bars at its sides', `a | b\n---|---\n${repeat(200, 'one | `two`')}`],
    ['a long list', repeat(300, '- **a** and `b`')],
    ['a long numbered list', `1. **a**\n${repeat(300, '2. **a** and `b`')}`],
    ['many paragraphs', repeat(300, '**a** and `b`\n')],
    ['a block of code, whatever is in it', `\`\`\`\n${repeat(300, '* * ` [ ] |')}\n\`\`\``],
  ])('%s', (_, text) => {
    expect(kinds(text)).toEqual(['parsed']);
  });
});

describe('splitIntoChunks splits a paragraph with too many Markdown marks', () => {
  test.each([
    ['in lines', repeat(100, '*a_ *b_ `c')],
    ['in lines that look like a table without being one', `x\n| - | - |\n${repeat(100, '| *a_ *b_ |')}`],
    ['in lines that look like items of a list that never began', `x\n${repeat(100, '2. *a_ *b_ `c')}`],
    ['in lines whose numbers are of another list', `1. x\n${repeat(100, '2) *a_ *b_ `c')}`],
    ['below a table', `| a |\n|---|\n- x\n${repeat(100, '*a_ | *b_ `c')}`],
  ])('%s', (_, text) => {
    expect(kinds(text).length).toBeGreaterThan(1);
  });
});

describe('a line is not parsed as Markdown', () => {
  test.each([
    ['with too many marks', '*a_ '.repeat(130)],
    ['nested too deep', '> '.repeat(20)],
    ['indented too far', `${' '.repeat(41)}x`],
  ])('if it is a line %s', (_, line) => {
    expect(kinds(line)).toEqual(['plain']);
  });

  test('if it is below the first 1,500 lines', () => {
    expect(kinds(repeat(2_000, 'x'))).toEqual(['parsed', ...Array<string>(499).fill('plain')]);
  });
});

test('a deeply nested line counts as several of the 1,500 lines that are parsed as Markdown', () => {
  const nested = repeat(1_400, '> - > - > - > - x');
  expect(kinds(nested).filter((kind) => kind === 'plain').length).toBeGreaterThan(1_000);
  expect(kinds(repeat(1_400, '> - x'))).toEqual(['parsed']);
});

test('the chunks of a text joined together equal the text', () => {
  const text = `a\n\n${repeat(100, '*a_ *b_ `c')}\n${' '.repeat(50)}x\n> y\n`;
  expect(
    splitIntoChunks(text)
      .map((chunk) => chunk.text)
      .join('\n'),
  ).toBe(text);
});
