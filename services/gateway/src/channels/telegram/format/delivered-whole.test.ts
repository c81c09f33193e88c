import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMessage, type TelegramPart } from '../send/encode.ts';
import { readProblem, readText } from '../rich/rich-reader.fixture.ts';

const SIMPLE_FROM = [null, 0, 1, 2] as const;
const CHATS = ['telegram:1001', 'telegram:-2001'] as const;

/** Many documents are tried, and the machine may be busy. */
const FUZZ_TIMEOUT_MS = 60_000;

const encodeText = (text: string, simpleFrom: number | null, chatKey: string = CHATS[0]): readonly TelegramPart[] =>
  encodeMessage({ text, buttons: [] }, { chatKey, outboxId: 1, simpleFrom });

/** The marker words of all parts, once each, in reading order. */
const listShownWords = (parts: readonly TelegramPart[]): readonly string[] => [
  ...new Set(parts.flatMap((part) => readText(part).match(/w\d+w/g) ?? [])),
];

/** Random documents whose pieces hold unique marker words, so that lost or moved ones are noticed. */
const documents = (): fc.Arbitrary<string> => {
  const inline = fc.constantFrom(
    '¤',
    '**¤**',
    '*¤*',
    '~~¤~~',
    '`¤`',
    '[¤](https://x.example)',
    '[¤](nowhere)',
    '<b>¤</b>',
    '¤&amp;',
    '***¤** ¤*',
    '[¤] ¤',
    '![¤](http://p.example)',
    'ש¤ש `¤`',
    '@¤',
    '¤\\\n¤',
  );
  const line = fc.array(inline, { minLength: 1, maxLength: 6 }).map((spans) => spans.join(' '));
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });
  const block = fc.oneof(
    line,
    lines.map((all) => all.join('\n')),
    line.map((one) => `## ${one.replaceAll('\\\n', ' ')}`),
    lines.map((all) => all.map((one) => `- ${one}`).join('\n')),
    lines.map((all) => all.map((one, place) => `${place + 1}. ${one}`).join('\n')),
    lines.map((all) => all.map((one, place) => `${'  '.repeat(place)}- ${one}`).join('\n')),
    lines.map((all) => all.map((one) => `> ${one}`).join('\n')),
    lines.map((all) => `\`\`\`js\n${all.map(() => 'if (¤) {').join('\n')}\n\`\`\``),
    lines.map((all) => `~~~\n${'¤\n'.repeat(all.length * 9)}~~~`),
    fc.constant('---'),
    fc.constant('word[^1] ¤\n\n[^1]: ¤'),
    fc.constant('[¤][1]\n\n[1]: https://r.example'),
    fc.constant('<div>¤</div>\n# ¤'),
  );
  return fc
    .tuple(fc.array(block, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 3 }))
    .map(([blocks, times]) => {
      let next = 0;
      return Array.from({ length: times }, () => blocks.join('\n\n'))
        .join('\n\n')
        .replaceAll('¤', () => `w${(next += 1)}w`);
    });
};

/** The marker words of the source, in order. */
const listSourceWords = (text: string): readonly string[] => [...new Set(text.match(/w\d+w/g) ?? [])];

test(
  'every word of any Markdown document is delivered in order, as a rich and as a plain message',
  () => {
    fc.assert(
      fc.property(
        documents(),
        fc.constantFrom(...SIMPLE_FROM),
        fc.constantFrom(...CHATS),
        (text, simpleFrom, chatKey) => {
          const parts = encodeText(text, simpleFrom, chatKey);
          expect(parts.map(readProblem).filter((problem) => problem !== null)).toEqual([]);
          expect(listShownWords(parts)).toEqual(listSourceWords(text));
        },
      ),
      { numRuns: 25 },
    );
  },
  FUZZ_TIMEOUT_MS,
);

test(
  'every cell of any table is delivered, as a rich and as a plain message',
  () => {
    const shape = fc.record({
      columns: fc.integer({ min: 1, max: 45 }),
      rows: fc.integer({ min: 0, max: 25 }),
      width: fc.integer({ min: 1, max: 40 }),
      align: fc.constantFrom('-', ':-', ':-:', '-:'),
      bars: fc.boolean(),
      around: fc.constantFrom('', 'text\n\n', '- item\n\n'),
    });
    fc.assert(
      fc.property(
        shape,
        fc.constantFrom(...SIMPLE_FROM),
        ({ columns, rows, width, align, bars, around }, simpleFrom) => {
          let next = 0;
          const line = (cell: () => string): string => {
            const cells = Array.from({ length: columns }, cell).join(' | ');
            return bars || columns === 1 ? `| ${cells} |` : cells;
          };
          const word = (): string => `w${(next += 1)}w`.padEnd(width % (1 + (next % 7)), 'x');
          const text = `${around}${[line(word), line(() => align), ...Array.from({ length: rows }, () => line(word))].join('\n')}`;
          const parts = encodeText(text, simpleFrom);
          expect(parts.map(readProblem).filter((problem) => problem !== null)).toEqual([]);
          expect([...listShownWords(parts)].sort()).toEqual([...listSourceWords(text)].sort());
        },
      ),
      { numRuns: 15 },
    );
  },
  FUZZ_TIMEOUT_MS,
);

test(
  'no Markdown text produces a message that Telegram would refuse',
  () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
      fc.constantFrom(
        '**',
        '*',
        '_',
        '`',
        '```\n',
        '~~~\n',
        '~~',
        '> ',
        '- ',
        '1. ',
        '\n',
        '\n\n',
        '    ',
        '\t',
        '# ',
        '---\n',
      ),
      fc.constantFrom(
        '| a | b |\n|-|-|\n',
        '|',
        '[a](https://x.example)',
        '![',
        '](',
        '[^1]',
        '[^1]: ',
        '[x]: y\n',
        '<b>',
        '<!--',
        '&#0;',
        '&#xd800;',
      ),
      fc.constantFrom(
        '🙂',
        '👩‍👧',
        '🇩🇪',
        '\u202e',
        '\u2066',
        '\u200b',
        'ש',
        '@abcd',
        'tg://x',
        '\u0301',
        '\ud83d',
        'x'.repeat(5_000),
        '👨‍👩‍👧‍👦'.repeat(600),
        '\u200b'.repeat(5_000),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }),
        fc.constantFrom(...SIMPLE_FROM),
        fc.constantFrom(...CHATS),
        (pieces, simpleFrom, chatKey) => {
          const parts = encodeText(pieces.join(''), simpleFrom, chatKey);
          expect(parts.length).toBeGreaterThan(0);
          expect(parts.map(readProblem).filter((problem) => problem !== null)).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  },
  FUZZ_TIMEOUT_MS,
);

test.each([
  ['words', 'lorem ipsum '.repeat(90_000)],
  ['one word', 'x'.repeat(1_000_000)],
  ['families', '👨‍👩‍👧‍👦'.repeat(90_000)],
  ['flags', '🇩🇪'.repeat(250_000)],
  ['accents on one letter', `a${'\u0301'.repeat(1_000_000)}`],
  ['tabs', '\tx'.repeat(500_000)],
  ['mentions', '@abcd '.repeat(160_000)],
  ['addresses', 'https://a.example/@b '.repeat(50_000)],
  ['line ends', `${'\n'.repeat(1_000_000)}x`],
  ['blanks', `x${' '.repeat(1_000_000)}x`],
])('a text of one megabyte of %s is delivered completely', (_, text) => {
  const visible = (given: string): string => given.replace(/[\s\u2060]+/g, '');
  const parts = encodeText(text, null, 'telegram:-2001');
  expect(parts.map(readProblem).filter((problem) => problem !== null)).toEqual([]);
  expect(visible(parts.map(readText).join(''))).toBe(visible(text));
});

test('no emoji sequence, flag or accented letter is split between two messages', () => {
  for (const [character, simpleFrom] of ['👨‍👩‍👧‍👦', '🇩🇪', 'a\u0301', '👍🏽'].flatMap(
    (one) =>
      [
        [one, 0],
        [one, null],
      ] as const,
  )) {
    for (const shift of ['', 'x', 'xy', '🙂', '🇫🇷']) {
      for (const part of encodeText(shift + character.repeat(20_000), simpleFrom)) {
        expect(readText(part).replace(shift, '').replaceAll(character, '')).toBe('');
      }
    }
  }
});
