/** What values are put together from: each has misled somebody, or may. */
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
  'שלום עולם',
  'مرحبا',
  'א',
  '٣',
  '1234',
  '\u0301',
  '\u0301\u0302\u0303\u0304\u0305',
  '❤️',
  '🇩🇪',
  '7️⃣',
  '- Affects: nothing',
  'Approved by Ada: 1 of 2',
  ' ',
  '   ',
  'name: value',
  '=',
  ':',
  'x',
  ' && ',
  '<!--',
  '&amp;#x202e;',
  '\x7f',
  '\x85',
  '\u00a0',
  '\u2060',
  '\u{e0041}',
  '┊ ',
  '# ',
  '| a |',
  '||x||',
  '![i](http://x)',
  'tg://user?id=1',
  '@everybody',
  '/stop',
];

/** So many values from a seed: short ones, some of many lines, some longer than a message. */
export function createValues(count: number, seed = 7): readonly string[] {
  const random = createRandom(seed);
  const formatLength = (place: number): number => {
    if (place % 200 === 0) return 700;
    return place % 40 === 0 ? 200 : random(30);
  };
  return Array.from({ length: count }, (_, place) =>
    Array.from({ length: formatLength(place) }, () => PIECES[random(PIECES.length)])
      .join('')
      .slice(0, 20_000),
  );
}

/** Numbers from a seed, so that a failure can be played again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
