import { expect } from 'vitest';
import { say } from '@signalbox/messages/say';
import type { Rule } from './stage.ts';

const REPEATED = say('gateway.repeated');
const WORDS = Array.from({ length: 2_500 }, (_, place) => `w${place}`).join(' ');
/** Without a blank, so that each cut is inside of a word. */
const ONE_WORD = Array.from({ length: 2_500 }, (_, place) => `x${place}`).join('');
const FACES = '👩‍👩‍👧‍👦🇩🇪👍🏽é'.repeat(700);
const CODE = `\`\`\`\n${Array.from({ length: 700 }, (_, place) => `line ${place}`).join('\n')}\n\`\`\``;
const TABLE = [
  '| day | visits |',
  '|---|---|',
  ...Array.from({ length: 400 }, (_, place) => `| d${place} | ${place} |`),
];

/** Rich first, then the simple form, which a channel without a rich one need not tell apart. */
const FORMS = [null, 0];

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/** What is promised of how a message becomes what single sends carry. */
export const PARTS: readonly Rule[] = [
  {
    sentence: 'makes the same parts of the same row',
    check: async ({ channel, bench: { chatKey } }) => {
      const encode = () =>
        [WORDS, 'short'].map((text) =>
          channel.encode(
            { text, buttons: [{ label: 'Yes', value: 'yes' }] },
            { chatKey, outboxId: 7, simpleFrom: null },
          ),
        );
      expect(encode()).toEqual(encode());
      expect(encode().every((parts) => parts.length > 0)).toBe(true);
    },
  },
  {
    sentence: 'makes no part that the platform refuses, not even with a line above it',
    check: async (stage) => {
      const { chatKey } = await stage.meet();
      for (const text of [WORDS, ONE_WORD, FACES, CODE, TABLE.join('\n'), '\u200b'])
        for (const part of FORMS.flatMap((form) => stage.encode({ text }, form)))
          expect(await stage.channel.send(chatKey, part, REPEATED)).toMatchObject({ kind: 'sent' });
    },
  },
  {
    sentence: 'splits a long text without losing, repeating or tearing anything',
    check: async (stage) => {
      await stage.meet();
      for (const text of [WORDS, ONE_WORD, FACES])
        for (const form of FORMS) {
          const before = (await stage.bench.seen()).length;
          await stage.send({ text }, form);
          const shown = (await stage.bench.seen()).slice(before);
          expect(withoutBlanks(shown.join(''))).toBe(withoutBlanks(text));
          expect(shown.filter((one) => !isWhole(one))).toEqual([]);
        }
    },
  },
  {
    sentence: 'shows every word of a text with formatting',
    check: async (stage) => {
      await stage.meet();
      await stage.send({
        text: [
          '# heading',
          'some **bold** and _italic_ and ~~struck~~ and `code` and a [link](https://example.com/x)',
          '- first\n- second\n  1. nested',
          '> quoted',
          '```js\nconst fenced = 1;\n```',
          '| left | right |\n|---|---|\n| cell | other |',
        ].join('\n\n'),
      });
      const shown = await stage.shown();
      const words = 'heading bold italic struck code link first second nested quoted left right cell other'.split(' ');
      expect([...words, 'const fenced = 1;'].filter((word) => !shown.includes(word))).toEqual([]);
    },
  },
  {
    sentence: 'shows signs that could be taken for formatting as they were meant',
    check: async (stage) => {
      await stage.meet();
      await stage.send({ text: 'Is 1 < 2 && 3 > 2? See `a_b_c` & `<b>x</b>`.' });
      const shown = await stage.shown();
      const meant = ['1 < 2 && 3 > 2?', 'a_b_c', '<b>x</b>'];
      expect(meant.filter((sign) => !shown.includes(sign))).toEqual([]);
    },
  },
  {
    sentence: 'shows what the runtime did below the text',
    check: async (stage) => {
      await stage.meet();
      await stage.send({
        text: 'Done.',
        receipts: [{ what: 'deploy demo 1.0 staging', note: '23:52 · /why_7c0k2m4q' }],
      });
      expect(await stage.shown()).toMatch(/Done\.[\s\S]*deploy demo 1\.0 staging[\s\S]*23:52[\s\S]*why_7c0k2m4q/);
    },
  },
];

/** Whether a piece begins with a whole character: no half of one, and nothing that belongs to the one before. */
function isWhole(text: string): boolean {
  return text.isWellFormed() && !/^[\p{M}\p{Emoji_Modifier}\u200d]/u.test(text);
}
