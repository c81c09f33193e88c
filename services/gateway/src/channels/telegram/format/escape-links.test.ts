import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeLinks, escapeUnmarkedLinks } from './escape-links.ts';
import { formatMarkdown } from './format.ts';

const inGroup = (markdown: string): string => escapeLinks(formatMarkdown(markdown), { inGroup: true }).text;
const inPrivate = (markdown: string): string => escapeLinks(formatMarkdown(markdown), { inGroup: false }).text;
/** Makes the invisible joiner visible. */
const withVisibleJoiner = (text: string): string => text.replaceAll('\u2060', '·');

describe('in a group', () => {
  test.each([
    ['a mention', 'ask @ada_l, please', 'ask @·ada_l, please'],
    ['one behind a sign', '(@ada_l)/@ben_x', '(@·ada_l)/@·ben_x'],
    ['one in bold', '**@ada_l**', '@·ada_l'],
    ['one that begins in code', '@`ada_l`', '@·ada_l'],
    ['one of which only the name is styled', '@**ada_l**', '@·ada_l'],
    ['the bot of a command', '/stop@other_bot', '/stop@other_bot'],
    ['one behind an address', 'https://x.example/)@ada_l', 'https://x.example/)@·ada_l'],
  ])('the text %s is escaped, so that it mentions nobody', (_, markdown, expected) => {
    expect(withVisibleJoiner(inGroup(markdown))).toBe(expected);
  });

  test.each([
    ['an e-mail', 'write to ada@x.example'],
    ['a step of a web address', 'see https://video.example/@ada_l/1'],
    ['a package', 'https://www.npmjs.com/package/@scope/name'],
    ['an @ alone', '5 @ 3 and @'],
  ])('the text %s, which mentions nobody, is unchanged', (_, text) => {
    expect(inGroup(text)).toBe(text);
  });

  test('a mention inside code is unchanged', () => {
    expect(inGroup('`@ada_l`\n\n```\nnpm i @scope/name\n```')).toBe('@ada_l\n\nnpm i @scope/name');
  });

  test('entities still cover the same words after mentions are escaped', () => {
    const formatted = escapeLinks(formatMarkdown('@aaaa **@bbbb** `@cccc` @dddd *tail*'), { inGroup: true });
    expect(
      formatted.entities.map((one) => withVisibleJoiner(formatted.text.slice(one.offset, one.offset + one.length))),
    ).toEqual(['@·bbbb', '@cccc', 'tail']);
  });
});

test('mentions in a private chat are not escaped', () => {
  expect(inPrivate('ask @ada_l')).toBe('ask @ada_l');
});

test('an app address such as tg:// is escaped in text, and unchanged in code', () => {
  const text = 'open tg://resolve?domain=x or TON://transfer, `tg://settings`';
  expect(withVisibleJoiner(inPrivate(text))).toBe('open tg:·//resolve?domain=x or TON:·//transfer, tg://settings');
});

test('mentions and app addresses in a text without entities are escaped without changing its length', () => {
  const text = 'npm i @scope/name, tg://x, a@b.example';
  expect(escapeUnmarkedLinks(text)).toBe('npm i ＠scope/name, tg:／/x, a@b.example');
});

test('escaping links adds no visible character to any text', () => {
  const piece = fc.constantFrom('@abcd', ' ', '`', '**', 'tg://a', 'https://x.example/@abcd', '\n', 'x', '🙂', '```\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const formatted = formatMarkdown(pieces.join(''));
      const safe = escapeLinks(formatted, { inGroup: true });
      expect(safe.text.replaceAll('\u2060', '')).toBe(formatted.text);
      const covered = ({ text, entities }: typeof safe): readonly string[] =>
        entities.map(
          (one) => `${one.type}:${text.slice(one.offset, one.offset + one.length).replaceAll('\u2060', '')}`,
        );
      expect(covered(safe)).toEqual(covered(formatted));
    }),
  );
});
