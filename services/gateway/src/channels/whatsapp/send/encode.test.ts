import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from './encode.ts';

const ROW = { chatKey: 'whatsapp:12025550101', outboxId: 7, simpleFrom: null };
const encodeBody = (body: Partial<OutboundBody>) => encodeMessage({ text: 'Text', buttons: [], ...body }, ROW);
const collectTexts = (text: string): readonly string[] =>
  encodeBody({ text }).map((part) => (part.form === 'file' ? part.name : part.text));
const labels = (...given: readonly string[]) => given.map((label) => ({ label, value: label }));

describe('a text for WhatsApp', () => {
  it.each([
    ['**bold** and *italic* and ~~gone~~', '*bold* and _italic_ and ~gone~'],
    ['# Title\n\ntext', '*Title*\n\ntext'],
    ['`npm run *`', '`npm run *`'],
    ['```sh\nls *\n```', '```\nls *\n```'],
    ['- one\n- two\n  1. inner', '• one\n• two\n   1. inner'],
    ['- [x] done\n- [ ] open', '☑ done\n☐ open'],
    ['> quoted\n> twice', '> quoted\n> twice'],
    ['[the docs](https://example.org/a)', 'the docs (https://example.org/a)'],
    ['https://example.org/a', 'https://example.org/a'],
    ['| a | b |\n| - | - |\n| 1 | 2 |', '```\na │ b\n──┼──\n1 │ 2\n```'],
    ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ])("is converted from the Markdown %j to WhatsApp's formatting", (markdown, shown) => {
    expect(collectTexts(markdown)).toEqual([shown]);
  });

  it('keeps literal formatting marks and puts a hair space beside them', () => {
    expect(collectTexts('the value is \\*not bold\\*')).toEqual(['the value is *\u200anot bold*']);
    expect(collectTexts('```\na ``` b\n```'.replace('```\na', '````\na').replace('b\n```', 'b\n````'))).toEqual([
      '```\na `\u200a`` b\n```',
    ]);
  });

  it('cannot contain the receipt mark, which only receipts have', () => {
    const [part] = encodeBody({ text: '🧾 deployed', receipts: [{ what: 'deploy demo', note: '23:52' }] });
    expect(part).toMatchObject({ text: '▫ deployed\n\n🧾 deploy demo · 23:52' });
  });

  it('that consists only of blanks becomes an ellipsis', () => {
    expect(collectTexts('\u200b \n')).toEqual(['…']);
  });
});

describe('the buttons of a WhatsApp message', () => {
  it('are sent as buttons when at most three have labels of at most twenty characters', () => {
    const [part] = encodeBody({ buttons: labels('Yes', 'No', 'Twenty characters ok') });
    expect(part).toMatchObject({
      form: 'buttons',
      choices: [
        { id: '7:0', title: 'Yes' },
        { id: '7:1', title: 'No' },
        { id: '7:2', title: 'Twenty characters ok' },
      ],
    });
  });

  it.each([
    ['four of them', labels('a', 'b', 'c', 'd')],
    ['one that is longer', labels('More than twenty chars')],
    ['two that are the same', labels('Same', 'Same')],
  ])('are sent as a list when there are %s', (_, buttons) => {
    expect(encodeBody({ buttons })[0]).toMatchObject({ form: 'list' });
  });

  it('are numbered and show their whole label when their shortened labels are equal', () => {
    const long = labels('Roll back the service orders', 'Roll back the service order mails');
    const [part] = encodeBody({ buttons: long });
    expect(part).toMatchObject({
      choices: [
        { title: '1. Roll back the servic…', description: long[0]?.label },
        { title: '2. Roll back the servic…', description: long[1]?.label },
      ],
    });
  });

  it('are split into lists of ten when there are too many', () => {
    const parts = encodeBody({ buttons: labels(...Array.from({ length: 24 }, (_, index) => `Choice ${index}`)) });
    expect(parts.map((part) => 'choices' in part && part.choices.length)).toEqual([10, 10, 4]);
  });

  it('are below the last message of a long text', () => {
    const parts = encodeBody({ text: 'A sentence of some length. '.repeat(100), buttons: labels('Yes') });
    expect(parts.map(({ form }) => form)).toEqual(['text', 'buttons']);
  });
});

const markdown = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('```', '`', '*', '_', '~~', '\n', '\n\n', '> ', '- ', '1. ', '# ', '| a |', '🙂', '\u0000', '​'),
    fc.constantFrom('word '.repeat(300), 'x'.repeat(5_000), '```\n'.repeat(30), 'line\n'.repeat(900)),
  ),
  { maxLength: 20 },
);
const button = fc.record({
  label: fc
    .string({ minLength: 1, maxLength: 64, unit: 'grapheme' })
    .filter((label) => label.length <= 64 && label.trim() !== ''),
  value: fc.constant('x'),
});

describe('random messages', () => {
  it('never produce a message that Meta would refuse, and are encoded the same way twice', () => {
    fc.assert(
      fc.property(markdown, fc.array(button, { maxLength: 24 }), (pieces, buttons) => {
        const body = { text: pieces.join('') || 'x', buttons };
        const parts = encodeMessage(body, ROW);
        expect(parts).toEqual(encodeMessage(body, ROW));
        for (const part of parts) {
          if (part.form === 'file') continue;
          expect(part.text.trim()).not.toBe('');
          expect(part.text.length).toBeLessThanOrEqual(part.form === 'text' ? 4_096 : 1_024);
          if (part.form === 'text') continue;
          for (const { title, description = '' } of part.choices) {
            expect(title.trim()).not.toBe('');
            expect(title.length).toBeLessThanOrEqual(part.form === 'buttons' ? 20 : 24);
            expect(description.length).toBeLessThanOrEqual(72);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('lose no word when they are split', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 900 }), (words) => {
        const parts = encodeBody({ text: words.join(' '), buttons: labels('Yes') });
        const shown = parts.map((part) => ('text' in part ? part.text : '')).join(' ');
        expect(shown.split(/\s+/)).toEqual(words);
      }),
    );
  });
});
