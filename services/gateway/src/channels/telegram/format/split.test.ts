import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMarkdown, toPlainText } from './format.ts';
import { MAX_MESSAGE_LENGTH, splitText, type MessageText } from './split.ts';

const visible = (text: string): string => text.replace(/\s+/g, '');
const joined = (parts: readonly MessageText[]): string => visible(parts.map((part) => part.text).join(''));

test('a text within the length limit is sent as one message', () => {
  expect(splitText(toPlainText('x'.repeat(MAX_MESSAGE_LENGTH)))).toHaveLength(1);
});

test('a long list is split between two items', () => {
  const list = Array.from({ length: 300 }, (_, n) => `${n}. Item **bold ${n}** with \`code_${n}\``).join('\n');
  const parts = splitText(formatMarkdown(list));
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part.text).toMatch(/^\d+\. Item/);
});

test('long code is still formatted as code in every message, with its indentation', () => {
  const code = Array.from({ length: 400 }, (_, n) => `  const v${n} = "${'x'.repeat(20)}";`).join('\n');
  const parts = splitText(formatMarkdown(`\`\`\`js\n${code}\n\`\`\`\nend`));
  for (const part of parts.slice(0, -1)) {
    expect(part.entities).toEqual([{ type: 'pre', language: 'js', offset: 0, length: part.text.length }]);
    expect(part.text).toMatch(/^ {2}const/);
  }
});

test('no emoji sequence is split between two messages', () => {
  const family = '👨‍👩‍👧‍👦';
  const parts = splitText(toPlainText(family.repeat(1_000)));
  for (const part of parts) expect(visible(part.text).replaceAll(family, '')).toBe('');
  expect(joined(parts)).toBe(family.repeat(1_000));
});

test('a long run of invisible characters does not become a message of its own', () => {
  const parts = splitText(toPlainText(`a${'\u200b'.repeat(9_000)}b`));
  expect(parts.map((part) => part.text.replaceAll('\u200b', ''))).toEqual(['a', 'b']);
});

test('a message gets at most one hundred entities', () => {
  const parts = splitText(formatMarkdown(`${'**a** '.repeat(25)}\n\n`.repeat(14)));
  expect(Math.max(...parts.map((part) => part.entities.length))).toBeLessThanOrEqual(100);
  expect(parts.flatMap((part) => part.entities)).toHaveLength(350);
});

test('a text of one megabyte is delivered completely', () => {
  const text = 'lorem ipsum dolor '.repeat(60_000);
  const parts = splitText(formatMarkdown(text));
  expect(joined(parts)).toBe(visible(text));
});

test('the messages of a split text hold all of it in order, within the limit and with valid entities', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('**bold**', '`code`', '\n', '\n\n', '- item', '👩‍👧', '[a](https://x.example)', '```\nx\ny\n```\n'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 20, max: 90 }), (words, limit) => {
      const whole = formatMarkdown(words.join(' '));
      const parts = splitText(whole, limit);
      expect(joined(parts)).toBe(visible(whole.text));
      for (const part of parts) {
        expect(part.text.length).toBeLessThanOrEqual(limit);
        expect(part.text.isWellFormed()).toBe(true);
        for (const { offset, length } of part.entities) {
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(length).toBeGreaterThan(0);
          expect(offset + length).toBeLessThanOrEqual(part.text.length);
        }
      }
    }),
    { numRuns: 300 },
  );
});
