import { expect, test } from 'vitest';
import { formatMarkdown, type FormattedText } from './format.ts';
import { closeMarkdown } from './partial-markdown.ts';

/** The styles of each character of a text. */
function listStyles({ text, entities }: FormattedText): readonly string[] {
  return Array.from({ length: text.length }, (_, at) =>
    entities
      .filter((one) => one.offset <= at && at < one.offset + one.length)
      .map((one) => one.type)
      .sort()
      .join('+'),
  );
}

/** The beginnings of a text whose preview differs from the beginning of the final message. */
function findFlickers(markdown: string): readonly string[] {
  const whole = formatMarkdown(markdown);
  const styles = listStyles(whole);
  return Array.from({ length: markdown.length }, (_, end) => markdown.slice(0, end))
    .map((part) => ({ part, shown: formatMarkdown(closeMarkdown(part)) }))
    .filter(({ part, shown }) => {
      if (shown.text === '…' && closeMarkdown(part).trim() === '') return false; // nothing visible yet
      if (!whole.text.startsWith(shown.text)) return true;
      // A link's target is unknown until it is complete.
      const plain = (style: string): string => style.replace(/\+?text_link/, '');
      return listStyles(shown).some((style, at) => plain(style) !== plain(styles[at] ?? '') && style !== '');
    })
    .map(({ part, shown }) => `${JSON.stringify(part)} → ${JSON.stringify(shown.text)}`);
}

test.each([
  ['bold', 'This is **very important** and done.'],
  ['spans in spans', 'A **bold and *italic* word** and ~~gone~~, `code`, ``two ` ticks`` and _that_ is it.'],
  ['three stars', 'All of ***this*** now.'],
  ['names with marks', 'Use snake_case_names, 2**3 = 8, 5 * 3 and ~5 minutes; a\\*b stays.'],
  ['headings', '# The result\n\nIt *works*.\n\n## Next steps\n\n**Do** it.'],
  [
    'lists',
    'Projects:\n\n- **shop**: an online shop\n- `blog`: articles\n  - draft\n\n1. First *one*\n2. Second one\n',
  ],
  ['a list right after a line', 'Projects:\n- shop\n- blog\n\nThat is all.'],
  ['boxes to tick', '- [x] done\n- [ ] open'],
  ['a rule', 'Above\n\n---\n\nBelow'],
  ['links', 'See [the **guide**](https://example.com/guide) for it; array[0] and [1] too.'],
  ['code blocks', 'Run this:\n\n```ts\nconst a = `x`;\n```\n\nand then **that**.'],
  ['a quote', '> It is *said*\n> so.\n\nBy **whom**?'],
])('%s are shown without flicker while the text is still being written', (_, markdown) => {
  expect(findFlickers(markdown)).toEqual([]);
});

test('a table that is still being written grows by whole rows', () => {
  const markdown = '| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n';
  const seen = new Set(
    Array.from({ length: markdown.length + 1 }, (_, end) => closeMarkdown(markdown.slice(0, end)).trimEnd()),
  );
  expect([...seen].map((text) => (text === '' ? 0 : text.split('\n').length))).toEqual([0, 2, 3, 4]);
  for (const text of seen) expect(markdown.startsWith(text)).toBe(true);
});

test('closeMarkdown leaves a complete text unchanged', () => {
  const whole = [
    '',
    'Plain words!',
    'a **b** c',
    '```\ncode\n```',
    '- one\n- two',
    '| a |\n| - |\n| 1 |\n',
    'a\n\n---',
  ];
  for (const text of whole) expect(formatMarkdown(closeMarkdown(text)).entities).toEqual(formatMarkdown(text).entities);
});

test('closeMarkdown keeps every letter of hostile texts and takes at most two seconds', () => {
  for (const text of [
    '*a_ '.repeat(2_000),
    '`'.repeat(4_000),
    '[['.repeat(2_000),
    '~~~'.repeat(1_000),
    '|'.repeat(4_000),
  ]) {
    const startedAt = process.cpuUsage();
    const letters = closeMarkdown(text).replace(/[^a-z]/g, '');
    expect(letters).toBe(text.replace(/[^a-z]/g, ''));
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000);
  }
});
