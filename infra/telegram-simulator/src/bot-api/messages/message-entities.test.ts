import type { MessageEntity } from 'grammy/types';
import { expect, test } from 'vitest';
import { detectEntities, formatBotText } from './message-entities.ts';
import { findUrlProblem } from './url-rules.ts';

function bold(offset: number, length: number): MessageEntity {
  return { type: 'bold', offset, length };
}

test('offsets count UTF-16 units, so an emoji counts as two', () => {
  expect(formatBotText('👋 hi', [bold(3, 2)]).entities).toEqual([bold(3, 2)]);
});

test.each([
  [bold(-1, 1), 'receive an entity with incorrect offset -1'],
  [bold(0, -1), 'receive an entity with incorrect length -1'],
  [bold(0, 6), 'entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 6'],
  [bold(9, 1), 'entity begins after the end of the text at UTF-16 offset 9'],
  [bold(1, 4), 'entity begins in a middle of a UTF-16 symbol at byte offset 4'],
  [bold(0, 1), 'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4'],
  [
    { type: 'text_link', offset: 0, length: 2, url: 'http://localhost' } as const,
    "entity URL 'http://localhost' is invalid: Wrong HTTP URL",
  ],
])('a text with the invalid entity %j is refused', (entity, reason) => {
  expect(() => formatBotText('👋 hi', [entity])).toThrow(`Bad Request: ${reason}`);
});

test('trimming a text shifts its entities and shortens an entity that passes the new end', () => {
  expect(formatBotText('  \n bold tail  ', [bold(4, 4), bold(9, 6)])).toEqual({
    text: 'bold tail',
    entities: [bold(0, 4), bold(5, 4)],
  });
});

test('leading spaces are kept when an entity covers them', () => {
  expect(formatBotText('  x', [{ type: 'pre', offset: 0, length: 3 }]).text).toBe('  x');
});

test('carriage returns are removed from a text, and the offsets of entities are shifted', () => {
  expect(formatBotText('a\r\nb', [bold(3, 1)])).toEqual({ text: 'a\nb', entities: [bold(2, 1)] });
});

test('blank texts and half emoji are refused', () => {
  expect(() => formatBotText(' \n ', [])).toThrow('Bad Request: text must be non-empty');
  expect(() => formatBotText('\ud83d', [])).toThrow('Bad Request: strings must be encoded in UTF-8');
});

test('a command inside code does not become an entity', () => {
  const code: MessageEntity = { type: 'code', offset: 0, length: 5 };
  expect(formatBotText('/help /stop', [code]).entities).toEqual([code, { type: 'bot_command', offset: 6, length: 5 }]);
});

test('a text keeps at most one hundred entities', () => {
  const many = Array.from({ length: 101 }, (_, index) => bold(index * 2, 1));
  expect(formatBotText('x '.repeat(101), many).entities).toHaveLength(100);
});

test.each([
  ['/start now', [['bot_command', '/start']]],
  ['/start@signalbox_bot', [['bot_command', '/start@signalbox_bot']]],
  ['ask @signalbox_bot, please', [['mention', '@signalbox_bot']]],
  ['see https://a.example/x/y?z=@me.', [['url', 'https://a.example/x/y?z=@me']]],
  ['mail me@example.org and a/b', []],
])('only commands, mentions and web addresses are detected as entities in “%s”', (text, expected) => {
  const found = detectEntities(text).map(({ type, offset, length }) => [type, text.slice(offset, offset + length)]);
  expect(found).toEqual(expected);
});

test.each([
  ['https://example.org/a?b=c', null],
  ['example.org', null],
  ['http://127.0.0.1:3000', null],
  ['tg://user?id=1', null],
  ['', 'URL host is empty'],
  ['not-a-url', 'Wrong HTTP URL'],
  ['ftp://example.org', 'Unsupported URL protocol'],
])('findUrlProblem accepts or refuses the link %j as Telegram does', (url, problem) => {
  expect(findUrlProblem(url)).toBe(problem);
});
