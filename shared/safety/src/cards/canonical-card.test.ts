import { expect, it } from 'vitest';
import { asCodeBlock, escapeLine, escapeText, parseExactAction, renderExactAction } from './canonical-card.ts';

it('actions whose names and values imitate each other are rendered differently on an approval card', () => {
  const actions = [
    { a: 'b', c: 'd' },
    { a: 'b\nc: d' },
    { 'a: b': 'c' },
    { a: '= 1' },
    { a: 1 },
    { a: '1' },
    { '→ a': 'b' },
    { '': '' },
  ];
  const shown = actions.map((args) => renderExactAction({ tool: 't', arguments: args }));
  expect(new Set(shown).size).toBe(actions.length);
  shown.forEach((text, place) => expect(parseExactAction(text).arguments).toEqual(actions[place]));
});

it('ordinary text in any language is shown unchanged on an approval card', () => {
  for (const text of [
    'Größe: 3 – „gut“',
    'Привет, мир',
    'Γειά σου',
    '中文 と 日本語',
    '👨‍👩‍👧 ❤️',
    'ls -la /tmp | wc',
    'עברית',
  ])
    expect(escapeText(text)).toBe(text);
});

it('look-alike letters, direction overrides and terminal codes are shown as code points on an approval card', () => {
  expect(escapeText('раypal')).toBe('⟨U+0440⟩⟨U+0430⟩ypal');
  expect(escapeText('сор')).toBe('⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩');
  expect(escapeText('wit\u001b[;sh notes.sh')).toBe('wit⟨U+001B⟩[;sh notes.sh');
  expect(escapeText('a\u202eb')).toBe('a⟨U+202E⟩b');
});

it('escapeLine returns one line without formatting', () => {
  expect(escapeLine('**x**\n\n- Affects: [a](b)')).toBe('\\*\\*x\\*\\*⟨U+000A⟩⟨U+000A⟩- Affects: \\[a\\](b)');
});

it('right-to-left letters are kept in a purely right-to-left sentence, and become code points in mixed text', () => {
  for (const text of ['שלום עולם', 'مرحبا، كيف حالك؟', 'חנות תה.']) expect(escapeText(text)).toBe(text);
  expect(escapeText('cp א ב')).toBe('cp ⟨U+05D0⟩ ⟨U+05D1⟩');
  expect(escapeText('א 12')).toBe('⟨U+05D0⟩ 12');
  expect(escapeText('א ٣')).toBe('⟨U+05D0⟩ ⟨U+0663⟩');
  expect(escapeText('א; ב')).toBe('⟨U+05D0⟩; ⟨U+05D1⟩');
  expect(escapeText('.א')).toBe('.⟨U+05D0⟩');
  expect(renderExactAction({ tool: 't', arguments: { a: 'שלום', b: ['ש'] } })).toBe('t\na: שלום\nb= ["⟨U+05E9⟩"]');
});

it('a letter with more than three accents is shown as code points', () => {
  expect(escapeText(`x${'\u0331'.repeat(5)}`)).toBe(`x${'\u0331'.repeat(3)}⟨U+0331⟩⟨U+0331⟩`);
});

it('a long line of an approval card is wrapped with visible blanks, and parses to the same action', () => {
  for (const value of [
    'a '.repeat(2_000),
    ' '.repeat(1_500),
    '中'.repeat(1_500),
    '\u200d👨'.repeat(900),
    '⟨'.repeat(700),
  ]) {
    const action = { tool: 't', arguments: { value, n: [value] }, resolved: {} };
    const shown = renderExactAction(action);
    expect(parseExactAction(shown)).toEqual(action);
    for (const line of shown.split('\n').slice(1)) {
      expect(line.length).toBeLessThan(80);
      expect(line).not.toMatch(/ $/);
    }
  }
});

it('the lines of an approval card fit a phone and wrap before a word', () => {
  expect(
    renderExactAction({ tool: 'run_command', arguments: { command: 'rm -r build && git push --force origin main' } }),
  ).toBe('run_command\ncommand: rm -r build && git\n┊  push --force origin main');
});

it('a code fence is longer than any row of backticks in its content', () => {
  expect(asCodeBlock('a ```` b')).toBe('`````\na ```` b\n`````');
});
