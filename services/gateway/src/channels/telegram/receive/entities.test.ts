import { describe, expect, test } from 'vitest';
import { MessageEntities, writeOutEntities } from './entities.ts';

const BOT = { id: 100, username: 'signalbox_bot' };
/** The text with one entity over the part in brackets. */
const write = (marked: string, entity: object) => {
  const offset = marked.indexOf('[');
  const text = marked.replace(/[[\]]/g, '');
  const length = marked.indexOf(']') - offset - 1;
  return writeOutEntities(text, MessageEntities.parse([{ offset, length, ...entity }]), BOT);
};
const link = (marked: string, url: string) => write(marked, { type: 'text_link', url });

describe('the text of a message with entities', () => {
  test.each([
    ['see [this one]', 'https://git.example.org/a.git', 'see this one <https://git.example.org/a.git>'],
    ['[new home] please', 'https://a.example/b', 'new home <https://a.example/b> please'],
    ['😀 [x]', 'tg://user?id=7', '😀 x <tg://user?id=7>'],
    ['[x]', 'https://a.example/b c\n>d', 'x <https://a.example/b%20c%0A%3Ed>'],
  ])('shows the address of the link behind %j', (marked, url, text) => {
    expect(link(marked, url)).toEqual({ text, isDisguised: false });
  });

  test.each([
    ['[https://a.example/b]', 'https://a.example/b'],
    ['[a.example/b]', 'https://a.example/b/'],
    ['[ada@example.org]', 'mailto:ada@example.org'],
  ])('shows the link %j, whose label equals its address, without repeating it', (marked, url) => {
    expect(link(marked, url)).toEqual({ text: marked.slice(1, -1), isDisguised: false });
  });

  test.each([
    ['[https://good.example/a.git]', 'good.example/a.git → <https://evil.example/a.git>'],
    ['[good.example]', 'good.example → <https://evil.example/a.git>'],
    ['[git@good.example:a.git]', 'good.example:a.git → <https://evil.example/a.git>'],
    ['[our shop, https://good.example/a.git]', 'our shop, good.example/a.git → <https://evil.example/a.git>'],
    ['[/srv/git/a]', 'srv/git/a → <https://evil.example/a.git>'],
  ])('shows where a disguised link such as %j really leads', (marked, text) => {
    expect(link(marked, 'https://evil.example/a.git')).toEqual({ text, isDisguised: true });
  });

  test('shows a mentioned person without a user name with their id, and in a command the id alone', () => {
    const mention = { type: 'text_mention', user: { id: 1002, first_name: 'Ben' } };
    expect(write('ask [Ben Li] first', mention).text).toBe('ask Ben Li (1002) first');
    expect(write('/role [Ben Li] developer', mention).text).toBe('/role 1002 developer');
  });

  test('shows the addresses of several links, and ignores malformed offsets', () => {
    const entities = MessageEntities.parse([
      { type: 'text_link', offset: 0, length: 1, url: 'https://a.example' },
      { type: 'bold', offset: 0, length: 5 },
      { type: 'text_link', offset: 5, length: 1, url: 'https://b.example' },
      { type: 'text_link', offset: 90, length: 9, url: 'https://c.example' },
      { type: 'text_link', offset: -1, length: 'x', url: 7 },
    ]);
    expect(writeOutEntities('a or b', entities, BOT).text).toBe(
      'a <https://a.example> or b <https://b.example> <https://c.example>',
    );
    expect(MessageEntities.parse('x')).toEqual([]);
  });

  test('is computed quickly for a long text without addresses', () => {
    const started = performance.now();
    for (const one of ['a', '@', '/', 'a.']) link(`[${one.repeat(4_000)}]`, 'https://a.example/b');
    expect(performance.now() - started).toBeLessThan(500);
  });
});
