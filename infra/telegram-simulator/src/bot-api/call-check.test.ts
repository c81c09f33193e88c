import { InputFile } from 'grammy';
import { expect, test } from 'vitest';
import type { LoggedCall } from './call-log.ts';
import { checkCall } from './call-check.ts';
import { DEFAULT_TOKEN } from '../server.ts';
import { api, client, simulator, useSimulator } from '../simulator.fixture.ts';

useSimulator({ greeted: true });

const none = new Map<string, unknown>();
const check = (method: string, values: Readonly<Record<string, unknown>>): ReturnType<typeof checkCall> =>
  checkCall(method, values, none);
async function call(method: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const url = `${simulator.url}/bot${DEFAULT_TOKEN}/${method}`;
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
const lastCall = async (): Promise<LoggedCall | undefined> => (await client.get<LoggedCall[]>('/api/calls')).at(-1);

test('a call that violates the types of the Bot API is refused, has no effect, and is logged as a violation', async () => {
  const link_preview_options = { is_disabled: 'perhaps' };
  expect(await call('sendMessage', { chat_id: 1001, text: 'x', link_preview_options })).toEqual({
    ok: false,
    error_code: 400,
    description: 'Bad Request: wrong parameter link_preview_options in request',
  });
  expect(await lastCall()).toMatchObject({
    status: 400,
    violations: ['link_preview_options/is_disabled must be boolean'],
  });
  expect(await client.messages(1001)).toHaveLength(1);
});

test("a call without its text is refused in Telegram's own words, and logged as a violation", async () => {
  expect(await call('sendMessage', { chat_id: 1001 })).toMatchObject({
    description: 'Bad Request: message text is empty',
  });
  expect(await lastCall()).toMatchObject({ violations: ['text is missing'] });
});

test('a call with an unknown field, which Telegram would ignore, is accepted with a warning', async () => {
  const reply_markup = { inline_keyboard: [[{ text: 'x', callback_data: 'x', color: 'red' }]] };
  expect(await call('sendMessage', { chat_id: 1001, text: 'x', txt: 'y', reply_markup })).toMatchObject({ ok: true });
  expect(await lastCall()).toMatchObject({
    violations: [],
    warnings: ['txt is unknown', 'reply_markup/inline_keyboard/0/0/color is unknown'],
  });
});

test('the valid calls of a grammY bot cause no violation and no warning', async () => {
  const sent = await api.sendMessage(1001, 'x', {
    entities: [{ type: 'bold', offset: 0, length: 1 }],
    reply_parameters: { message_id: 1, allow_sending_without_reply: true },
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go', style: 'danger' }]] },
  });
  await api.editMessageText(1001, sent.message_id, { blocks: [{ type: 'list', items: [{ blocks: [] }] }] });
  await api.sendDocument(1001, new InputFile(Buffer.from('x'), 'a.txt'), { caption: 'x' });
  await api.setMyCommands([{ command: 'help', description: 'x' }], { scope: { type: 'chat', chat_id: 1001 } });
  await api.getUpdates({ allowed_updates: ['message', 'stopped_message_generation'], timeout: 0 });
  const calls = await client.get<LoggedCall[]>('/api/calls');
  expect(calls).toHaveLength(5);
  expect(calls.flatMap(({ violations, warnings }) => [...violations, ...warnings])).toEqual([]);
});

test('a text field of a form accepts a JSON value, and a number field refuses a word', () => {
  const reply_markup = '{"inline_keyboard":[[{"text":"x","callback_data":"y"}]]}';
  expect(check('sendMessage', { chat_id: '1001', text: '5', disable_notification: 'true', reply_markup })).toEqual({
    violations: [],
    warnings: [],
    wrong: [],
  });
  expect(check('deleteMessage', { chat_id: '1001', message_id: 'five' }).violations).toEqual([
    'message_id must be number',
  ]);
});

test('a document that is uploaded with the call does not count as a missing parameter', () => {
  expect(check('sendDocument', { chat_id: 1001 }).violations).toEqual(['document is missing']);
  expect(checkCall('sendDocument', { chat_id: 1001 }, new Map([['document', 'bytes']])).violations).toEqual([]);
});

test('a violation deep inside a rich message is reported with the path to the wrong field', () => {
  const deep = (levels: number): unknown =>
    levels === 0 ? { type: 'bold' } : { type: 'italic', text: [deep(levels - 1)] };
  const rich_message = { blocks: [{ type: 'paragraph', text: deep(12) }] };
  const [first] = check('sendRichMessage', { chat_id: 1001, rich_message }).violations;
  expect(first).toMatch(/^rich_message\/blocks\/0\/text(\/text\/0){12} must /);
});

test('an unknown field in a block of a rich message is reported as a warning', () => {
  const blocks = [{ type: 'paragraph', text: ['a', { type: 'bold', text: 'b', size: 3 }], style: 'x' }];
  expect(check('sendRichMessage', { chat_id: 1001, rich_message: { blocks } }).warnings).toEqual([
    'rich_message/blocks/0/text/1/size is unknown',
    'rich_message/blocks/0/style is unknown',
  ]);
});

test('a parameter of a method without parameters is reported as unknown', () => {
  expect(check('getMe', { verbose: true })).toMatchObject({ warnings: ['verbose is unknown'] });
});
