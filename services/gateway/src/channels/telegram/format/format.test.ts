import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMarkdown, type TextEntity, type FormattedText } from './format.ts';

/** Each entity with the text that it covers. */
function describeSpans({ text, entities }: FormattedText): readonly string[] {
  return entities.map((one) => `${one.type}:${text.slice(one.offset, one.offset + one.length)}`);
}

describe('a formatted message', () => {
  test('shows bold, italic, struck and code text as entities, without the Markdown marks', () => {
    const formatted = formatMarkdown('Hello **bold** *it* ~~no~~ `code` and ***both***');
    expect(formatted.text).toBe('Hello bold it no code and both');
    expect(describeSpans(formatted)).toEqual([
      'bold:bold',
      'italic:it',
      'strikethrough:no',
      'code:code',
      'italic:both',
      'bold:both',
    ]);
  });

  test('keeps names with underscores and single asterisks unchanged', () => {
    const formatted = formatMarkdown('use my_var_name and 2 * 3 * 4 and foo__bar__');
    expect(formatted.text).toBe('use my_var_name and 2 * 3 * 4 and foo__bar__');
    expect(formatted.entities).toEqual([]);
  });

  test('shows a fenced code block with its language, and keeps backticks inside', () => {
    const formatted = formatMarkdown('```python\nprint(f"{x!r}")  # `tick`\n```\nthen text.');
    expect(formatted.text).toBe('print(f"{x!r}")  # `tick`\n\nthen text.');
    expect(formatted.entities).toEqual([{ type: 'pre', language: 'python', offset: 0, length: 25 }]);
  });

  test('shows a code block without a closing fence as code', () => {
    const formatted = formatMarkdown('Here:\n```js\nconst a = `x`;\nif (a) {');
    expect(describeSpans(formatted)).toEqual(['pre:const a = `x`;\nif (a) {']);
  });

  test('shows nested lists indented, ordered lists with numbers, and task lists with check boxes', () => {
    const formatted = formatMarkdown('- a\n- b\n  - c\n    1. d\n\n3. three\n4. four\n\n- [ ] todo\n- [x] done');
    expect(formatted.text).toBe('• a\n• b\n   • c\n      1. d\n\n3. three\n4. four\n\n☐ todo\n☑ done');
  });

  test('shows a table as aligned columns in a monospaced block', () => {
    const formatted = formatMarkdown('| name | n |\n|---|--:|\n| shop | 1 |\n| **api** | 20 |');
    expect(formatted.text).toBe('name │  n\n─────┼───\nshop │  1\napi  │ 20');
    expect(formatted.entities).toEqual([{ type: 'pre', offset: 0, length: formatted.text.length }]);
  });

  test('counts wide characters as two columns when it aligns a table', () => {
    expect(formatMarkdown('| a | b |\n|---|---|\n| 日本 | x |\n| 🙂 | y |').text).toBe(
      'a    │ b\n─────┼──\n日本 │ x\n🙂   │ y',
    );
  });

  test('shows nested quotes as one quote', () => {
    const formatted = formatMarkdown('> q1\n> **b**\n>> nested\n\nafter');
    expect(formatted.text).toBe('q1\nb\nnested\n\nafter');
    expect(formatted.entities.filter((one) => one.type === 'blockquote')).toHaveLength(1);
  });

  test('counts entity offsets in UTF-16 units, as Telegram does', () => {
    const formatted = formatMarkdown('👨‍👩‍👧‍👦 **жирный 🇩🇪** end');
    expect(describeSpans(formatted)).toEqual(['bold:жирный 🇩🇪']);
  });
});

test('terminal color codes and control characters are removed from a text', () => {
  const formatted = formatMarkdown('\u001b[31mERROR\u001b[0m\r\n`a\u0007b`\rc');
  expect(formatted.text).toBe('ERROR\nab\nc');
  expect(describeSpans(formatted)).toEqual(['code:ab']);
});

describe('asterisks and tildes inside words and numbers stay literal where no emphasis is meant', () => {
  test.each([
    ['2*3*4 and a*b*.txt', '2*3*4 and a*b*.txt'],
    ['x**y**z', 'x**y**z'],
    ['10~20 and 30~40', '10~20 and 30~40'],
    ['un**frigging** believable', 'unfrigging believable'],
  ])('%s', (markdown, text) => {
    expect(formatMarkdown(markdown).text).toBe(text);
  });
});

describe('content that Markdown would hide is shown as text', () => {
  test.each([
    [
      'an address behind another one',
      '[https://bank.example](https://evil.example/x)',
      'https://bank.example (https://evil.example/x)',
    ],
    ['a place that no link can lead to', '[guide](docs/guide.md)', 'guide (docs/guide.md)'],
    ['what stands behind a fence', '```please read\nx\n```', 'please read\n\nx'],
    ['a sentence behind a fence', '```js title="a.js"\nx\n```', 'title="a.js"\n\nx'],
    ['a definition that nothing refers to', '[secret]: https://x.example', '[secret]: https://x.example'],
    ['a comment', 'a <!-- b --> c', 'a <!-- b --> c'],
    ['an image without words', '![](https://x.example/i.png)', 'https://x.example/i.png'],
  ])('%s', (_, markdown, text) => {
    expect(formatMarkdown(markdown).text).toBe(text);
  });

  test('the address of an image in a data: URL is shortened', () => {
    expect(formatMarkdown(`![x](data:image/png;base64,${'A'.repeat(5_000)})`).text.length).toBeLessThan(60);
  });
});

test('a reference link points to the address in its definition', () => {
  const formatted = formatMarkdown('[a][1] ![b][2]\n\n[1]: https://x.example\n[2]: https://y.example');
  expect(formatted.entities.map((one) => one.url)).toEqual(['https://x.example', 'https://y.example']);
  expect(formatted.text).toBe('a b');
});

test('code and links inside Hebrew text keep their own direction', () => {
  const formatted = formatMarkdown('הרץ `rm -rf /tmp` עכשיו');
  expect(formatted.text).toBe('הרץ \u2068rm -rf /tmp\u2069 עכשיו');
  expect(describeSpans(formatted)).toEqual(['code:rm -rf /tmp']);
});

test('direction control characters are removed from a text', () => {
  expect(formatMarkdown('pay \u202e001$\u202c now, `x\u2067y`').text).toBe('pay 001$ now, xy');
});

describe('unsafe markup', () => {
  test('HTML is shown as text, so that a message cannot add a button', () => {
    const evil = 'Done. <tg-button type="callback_data" data="b:1:0">Approve</tg-button> <b>x</b> &lt;';
    const formatted = formatMarkdown(evil);
    expect(formatted.text).toBe(evil.replace('&lt;', '<'));
    expect(formatted.entities).toEqual([]);
  });

  test('only addresses with http or https become links', () => {
    const formatted = formatMarkdown(
      '[a](https://x.example/y_(z)) [c](javascript:alert(1)) [t](tg://resolve?domain=x) [b]()',
    );
    expect(describeSpans(formatted)).toEqual(['text_link:a']);
    expect(formatted.text).toBe('a c (javascript:alert(1)) t (tg://resolve?domain=x) b');
  });

  test('a link to an address that Telegram would refuse is shown as text with the address', () => {
    expect(formatMarkdown('[mail](mailto:a@b.example) and [app](http://localhost:3000)').text).toBe(
      'mail (a@b.example) and app (http://localhost:3000)',
    );
  });

  test('a web address without link markup gets no entity', () => {
    const formatted = formatMarkdown('see https://x.example/a_b_c?d=e*f and a@b.example');
    expect(formatted.text).toBe('see https://x.example/a_b_c?d=e*f and a@b.example');
    expect(formatted.entities).toEqual([]);
  });

  test('an image is shown as its description, never as a picture', () => {
    const formatted = formatMarkdown('![x](https://evil.example/?q=secret)');
    expect(formatted.text).toBe('x');
  });
});

const HOSTILE_TEXTS = [
  '',
  '   \n\n',
  '---',
  '\u0000',
  '**bold never ends and *it and [link](http://x',
  '````md\n```js\na\n```\n````',
  '$x_1^2 + y_{ij}$ and $$\\frac{a}{b}$$ \\(a\\)',
  '\\*not bold\\* \\_ \\` \\\\ 1\\. C:\\path\\new',
  '[ref][1]\n\n[1]: https://r.example',
  'text[^1]\n\n[^1]: note',
  '[`code`](https://a.example) **[b](https://c.example)** `**not**` ``a`b``',
  '||spoiler|| and a || b',
  '| a |\n|---|',
  '> '.repeat(5_000) + 'deep',
  '*a_ '.repeat(7_500),
  '*a_ '.repeat(50).concat('\n').repeat(30),
  '['.repeat(20_000),
  '*a '.repeat(10_000),
  '- '.repeat(2_000) + 'x',
  '\u200b\u200d\ufeff',
  'עברית **ב** \u202eevil\u202c',
  'a\u0301\u0301\u0301'.repeat(3_000),
];

test.each(HOSTILE_TEXTS.map((text, place) => [place, text]))(
  'the hostile Markdown text %i becomes a visible, valid message',
  (_, text) => {
    const formatted = formatMarkdown(text);
    expect(formatted.text).not.toBe('');
    expect(findProblem(formatted)).toBeNull();
  },
);

test('any Markdown text produces entities with valid offsets', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '**',
      '*',
      '_',
      '`',
      '```\n',
      '~~',
      '> ',
      '- ',
      '1. ',
      '\n',
      '\n\n',
      '[a](https://x.example)',
      '| a |\n|-|\n',
      '<b>',
      '🙂',
      '👩‍👧',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(findProblem(formatMarkdown(pieces.join('')))).toBeNull();
    }),
    { numRuns: 200 },
  );
});

function findProblem({ text, entities, breaks }: FormattedText): string | null {
  if (text.trim() === '' && text !== '…') return 'nothing to see';
  if (breaks.some((at) => at < 0 || at > text.length)) return 'a break outside the text';
  const bad = entities.find((one) => !isValid(text, one));
  return bad ? `invalid span ${JSON.stringify(bad)}` : null;
}

function isValid(text: string, { offset, length }: TextEntity): boolean {
  const span = text.slice(offset, offset + length);
  return offset >= 0 && length > 0 && offset + length <= text.length && span.trim() !== '';
}
