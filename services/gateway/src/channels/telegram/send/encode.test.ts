import { describe, expect, test } from 'vitest';
import { encodeMessage, addLineAbove, type TelegramPart } from './encode.ts';
import { readBlocksOf, readProblem, readWords } from '../rich/rich-reader.fixture.ts';

const row = (simpleFrom: number | null, chatKey = 'telegram:1001') => ({ chatKey, outboxId: 7, simpleFrom });
const encodeText = (text: string, simpleFrom: number | null = null): readonly TelegramPart[] =>
  encodeMessage({ text, buttons: [] }, row(simpleFrom));
const formOf = (text: string): string => [...new Set(encodeText(text).map((part) => part.form))].join();
const repeat = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

describe('a text is sent as a rich message', () => {
  test.each([
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |'],
    ['a heading', '# Shop\n\nIt is up.'],
    ['a list in a list', '- a\n  - b'],
    ['a table in a quote', '> | a |\n> |---|\n> | 1 |'],
    ['code of 41 lines', `\`\`\`\n${repeat(41, (n) => `line ${n}`)}\n\`\`\``],
    ['more than one ordinary message holds', 'word '.repeat(900)],
  ])('when it is %s', (_, text) => {
    expect(formOf(text)).toBe('rich');
  });
});

describe('a text is sent as a plain message', () => {
  test.each([
    ['a sentence', 'Shop **1.4.2** is up.'],
    ['a flat list', '- a\n- b\n- [x] c'],
    ['code of 40 lines', `\`\`\`\n${repeat(40, (n) => `line ${n}`)}\n\`\`\``],
    ['a quote', '> a\n>> b'],
    ['what would take more rich messages than ordinary ones', repeat(620, () => '- item')],
    ['nothing to see', '\u200b\u2060\u00ad'],
    ['nothing to see but structure', '- \n- '],
  ])('when it is %s', (_, text) => {
    expect(formOf(text)).toBe('text');
  });
});

describe('rich blocks', () => {
  const blocksOf = (text: string): readonly unknown[] => encodeText(text).flatMap(readBlocksOf);

  test('show a table with its alignment, formatting and empty cells', () => {
    expect(blocksOf('| name | n |\n|:--|--:|\n| **shop** | |')).toMatchObject([
      {
        type: 'table',
        cells: [
          [
            { text: 'name', is_header: true, align: 'left' },
            { text: 'n', is_header: true, align: 'right' },
          ],
          [
            { text: { type: 'bold', text: 'shop' }, align: 'left' },
            { text: '\u00a0', align: 'right' },
          ],
        ],
      },
    ]);
  });

  test('show nested lists, numbers and check boxes', () => {
    expect(blocksOf('3. a\n   - [x] b\n   - [ ] c')).toMatchObject([
      {
        type: 'list',
        items: [
          {
            value: 3,
            blocks: [
              { type: 'paragraph', text: 'a' },
              { type: 'list', items: [{ has_checkbox: true, is_checked: true }, { has_checkbox: true }] },
            ],
          },
        ],
      },
    ]);
  });

  test('show long code collapsed, but expanded when it is the whole message', () => {
    const code = `\`\`\`sh\n${repeat(41, (n) => `line ${n}`)}\n\`\`\``;
    expect(blocksOf(code)).toMatchObject([{ type: 'details', summary: 'sh, 41 lines', is_open: true }]);
    const [, folded] = blocksOf(`The log:\n\n${code}`);
    expect(folded).toMatchObject({ type: 'details', blocks: [{ type: 'pre', language: 'sh' }] });
    expect(folded).not.toHaveProperty('is_open');
  });

  test("never collapse code that waits for a person's decision", () => {
    const act = { approvalId: 'apv_1', verb: 'approve' } as const;
    for (const lines of [41, 1_500]) {
      const text = `This is exactly what runs:\n\n\`\`\`\n${repeat(lines, (n) => `line ${n}`)}\n\`\`\``;
      const parts = encodeMessage({ text, buttons: [{ label: 'Approve', value: 'Approve', act }] }, row(null));
      expect(JSON.stringify(parts)).not.toContain('details');
    }
  });

  test('turn only web addresses into links, and no address into a mention', () => {
    const text = '# x\n\n[a](https://x.example/y) [u](tg://user?id=1) https://z.example ![i](http://p.example/i.png)';
    expect(blocksOf(text)[1]).toEqual({
      type: 'paragraph',
      text: [
        { type: 'url', text: 'a', url: 'https://x.example/y' },
        ' u (tg://user?id=1) ',
        { type: 'url', text: 'https://z.example', url: 'https://z.example' },
        ' ',
        { type: 'url', text: 'i', url: 'http://p.example/i.png' },
      ],
    });
  });

  test('show a table that is too wide as several tables that repeat the first column', () => {
    const line = (word: string): string => `| ${Array.from({ length: 45 }, (_, n) => `${word}${n}`).join(' | ')} |`;
    const tables = encodeText(`${line('h')}\n${line('-').replaceAll(/-\d+/g, '-')}\n${line('c')}`).flatMap(
      readBlocksOf,
    );
    expect(tables).toHaveLength(3);
    for (const table of tables) expect(JSON.stringify(table)).toMatch(/"cells":\[\[\{"text":"h0".*\[\{"text":"c0"/);
  });

  test('lay out a text that starts in Hebrew from right to left', () => {
    expect(encodeText('# שלום')[0]).toMatchObject({ rightToLeft: true });
    expect(encodeText('# 12 shalom שלום')[0]).toMatchObject({ rightToLeft: false });
  });
});

describe('the messages of one long text', () => {
  test('have the buttons below the last message, and only the first is a reply', () => {
    const body = { text: 'word '.repeat(15_000), buttons: [{ label: 'Go', value: 'go' }], replyTo: '5' };
    const parts = encodeMessage(body, row(null));
    expect(parts.map((part) => [part.keyboard.length, part.replyTo])).toEqual([
      [0, 5],
      [0, null],
      [1, null],
    ]);
  });

  test('stay within the limit when a line is added above, as rich and as plain messages', () => {
    const line = 'x'.repeat(56);
    const rich = encodeText('word '.repeat(20_000)).map((part) => addLineAbove(line, part));
    const texts = encodeText('word '.repeat(20_000), 0).map((part) => addLineAbove(line, part));
    expect([...rich, ...texts].map(readProblem).filter((problem) => problem !== null)).toEqual([]);
    expect(rich.flatMap(readBlocksOf)[0]).toEqual({ type: 'paragraph', text: line });
  });

  test('keep the language of split code and the header of a split table', () => {
    const code = encodeText(`\`\`\`go\n${repeat(300, (n) => `x${n} := ${'y'.repeat(110)}`)}\n\`\`\``).flatMap(
      readBlocksOf,
    );
    expect(code.length).toBeGreaterThan(1);
    for (const block of code) expect(JSON.stringify(block)).toContain('"language":"go"');
    const tables = encodeText(`| h1 | h2 |\n|---|---|\n${repeat(300, (n) => `| ${n} | ${'v'.repeat(110)} |`)}`).flatMap(
      readBlocksOf,
    );
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) expect(JSON.stringify(table)).toMatch(/"cells":\[\[\{"text":"h1"[^\]]*"text":"h2"/);
  });

  test('hold every word once, from whichever message on they are sent as plain text', () => {
    const text = Array.from({ length: 15_000 }, (_, n) => `word${n}`).join(' ');
    const rich = encodeText(text);
    expect(rich.length).toBeGreaterThan(3);
    for (let from = 0; from <= rich.length; from += 1) {
      const parts = encodeText(text, from);
      expect(parts.map((part) => part.form)).toEqual(parts.map((_, place) => (place < from ? 'rich' : 'text')));
      expect(parts.slice(0, from).flatMap(readBlocksOf)).toEqual(rich.slice(0, from).flatMap(readBlocksOf));
      expect(parts.flatMap(readWords)).toEqual(rich.flatMap(readWords));
    }
  });
});
