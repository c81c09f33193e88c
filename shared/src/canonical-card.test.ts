import { expect, it } from 'vitest';
import { asCodeBlock, escapeLine, escapeText, readExact, renderExact, unescapeText } from './canonical-card.ts';

const PIECES = [
  '\x1B[;',
  '‮',
  '⁦',
  '​',
  '‍',
  '️',
  '­',
  '\0',
  '\r',
  '\r\n',
  '\n',
  '\n\n',
  '	',
  '\u2028',
  '⟨U+202E⟩',
  '⟨',
  '⟩',
  '⟨⟩',
  '│ ',
  '→ ',
  '```',
  '~~~',
  '`',
  '**b**',
  '[a](http://x)',
  '<b>',
  '&lt;',
  '&#8238;',
  '\\n',
  '> ',
  'раypal',
  'Привет',
  'сор',
  'ελ',
  '中文',
  'größer',
  'é',
  'é',
  'ｒｍ',
  ';',
  '\ud800',
  '\udc00',
  '﷐',
  '👨‍👩‍👧',
  '❤️',
  '🇩🇪',
  '7️⃣',
  '- Reaches: nothing',
  'Approved by Ada: 1 of 2',
  ' ',
  '   ',
  'name: value',
  '=',
  ':',
  'x',
];
/** Numbers from a seed, so that a failure can be played again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const random = createRandom(7);
const generate = (place: number): string =>
  Array.from({ length: place % 400 === 0 ? 6_000 : random(30) }, () => PIECES[random(PIECES.length)])
    .join('')
    .slice(0, 20_000);

it('2,000 generated values read back from what is shown, which holds nothing that a channel takes out', () => {
  for (let place = 0; place < 2_000; place += 1) {
    const value = generate(place);
    const action = {
      tool: 'run_command',
      arguments: { command: value, n: 3, deep: [value.toWellFormed()] },
      resolved: {},
    };
    const shown = renderExact(action);
    expect(readExact(shown)).toEqual(action);
    expect(shown).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    expect(shown.isWellFormed()).toBe(true);
    const lines = shown.split('\n').slice(1);
    expect(lines.every((line) => /^(?:│ |command:|n= |deep= )/.test(line))).toBe(true);
    expect(unescapeText(escapeText(value))).toBe(value);
  }
});

it('names and values that try to be each other are told apart', () => {
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
  const shown = actions.map((args) => renderExact({ tool: 't', arguments: args }));
  expect(new Set(shown).size).toBe(actions.length);
  shown.forEach((text, place) => expect(readExact(text).arguments).toEqual(actions[place]));
});

it('ordinary text in any language stays as it is', () => {
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

it('a look-alike within a word, an override and a terminal code are seen', () => {
  expect(escapeText('раypal')).toBe('⟨U+0440⟩⟨U+0430⟩ypal');
  expect(escapeText('сор')).toBe('⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩');
  expect(escapeText('wit\u001b[;sh notes.sh')).toBe('wit⟨U+001B⟩[;sh notes.sh');
  expect(escapeText('a\u202eb')).toBe('a⟨U+202E⟩b');
});

it('a line of the card is one line without formatting', () => {
  expect(escapeLine('**x**\n\n- Reaches: [a](b)')).toBe('\\*\\*x\\*\\*⟨U+000A⟩⟨U+000A⟩- Reaches: \\[a\\](b)');
});

it('code is fenced by more than it holds', () => {
  expect(asCodeBlock('a ```` b')).toBe('`````\na ```` b\n`````');
});
