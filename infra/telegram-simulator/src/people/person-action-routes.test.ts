import { Api } from 'grammy';
import type { Update } from 'grammy/types';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSimulator, DEFAULT_TOKEN, type Simulator } from '../server.ts';
import { createSimulatorClient, type SimulatorClient } from '../simulator-client.ts';

const OPS = -2001;
const card = { reply_markup: { inline_keyboard: [[{ text: 'Approve', callback_data: 'ok:1' }]] } };

let simulator: Simulator;
let api: Api;
let client: SimulatorClient;

beforeEach(async () => {
  simulator = await createSimulator();
  api = new Api(DEFAULT_TOKEN, { apiRoot: simulator.url });
  client = createSimulatorClient(simulator.url);
  await client.post('/api/messages', { from: 1001, text: '/start' });
  await api.getUpdates({ allowed_updates: ['message', 'callback_query', 'my_chat_member'] });
});
afterEach(() => simulator.close());

const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
const lastUpdate = async (): Promise<Update | undefined> => (await api.getUpdates()).at(-1);

test('a click on a forwarded approval card reports the chat that the card was forwarded to', async () => {
  const { message_id: messageId } = await api.sendMessage(OPS, 'Deploy shop?', card);
  const forward = await client.post('/api/forwards', { from: 1002, chat: 'ops', messageId });
  expect((await lastUpdate())?.message).toMatchObject({
    chat: { id: 1002 },
    text: 'Deploy shop?',
    forward_origin: { type: 'user', sender_user: { id: 100 } },
  });
  await client.post('/api/clicks', { from: 1002, button: 'Approve' });
  expect((await lastUpdate())?.callback_query).toMatchObject({
    data: 'ok:1',
    message: { message_id: forward.messageId, chat: { id: 1002 }, from: { id: 1002 } },
  });
});

test('a click on a card that a person forwarded into the group tells the bot only the message id', async () => {
  await client.post('/api/messages', { from: 1002, text: '/start' });
  const { message_id: messageId } = await api.sendMessage(1002, 'Deploy shop?', card);
  const forward = await client.post('/api/forwards', { from: 1002, messageId, to: 'ops' });
  expect(forward.updateId).toBeNull();
  await client.post('/api/clicks', { from: 1003, chat: 'ops', button: 'Approve' });
  expect((await lastUpdate())?.callback_query).toMatchObject({ from: { id: 1003 }, data: 'ok:1' });
  expect((await lastUpdate())?.callback_query?.message).toEqual({
    chat: { id: OPS, title: 'ops', type: 'supergroup', is_forum: true },
    message_id: forward.messageId,
    date: 0,
  });
});

test('a client can send forged button data for a message that was deleted', async () => {
  const { message_id: messageId } = await api.sendMessage(1001, 'Sure?', card);
  await api.deleteMessage(1001, messageId);
  expect(await client.post('/api/clicks', { from: 1001, messageId, button: 'Approve' })).toMatchObject({ ok: false });
  await client.post('/api/clicks', { from: 1001, messageId, data: 'ok:999' });
  expect((await lastUpdate())?.callback_query).toMatchObject({
    data: 'ok:999',
    message: { message_id: messageId, date: 0 },
  });
});

test('a person can forward messages only between chats of which that person is a member', async () => {
  const { message_id: messageId } = await api.sendMessage(OPS, 'Deploy shop?', card);
  expect(await client.post('/api/forwards', { from: 1009, chat: 'ops', messageId })).toMatchObject({ ok: false });
  expect(await client.post('/api/forwards', { from: 1002, chat: 'ops', messageId, to: 1001 })).toMatchObject({
    ok: false,
  });
});

test('colored, disabled and copy buttons are shown, and only buttons with callback data can be pressed', async () => {
  await api.sendMessage(1001, 'Sure?', {
    reply_markup: {
      inline_keyboard: [
        [
          { text: 'Yes', callback_data: 'yes', style: 'success' },
          { text: 'Too late', disabled: {}, style: 'danger' },
          { text: 'Copy', copy_text: { text: 'abc' } },
        ],
      ],
    },
  });
  expect((await client.messages(1001)).at(-1)?.buttons).toEqual([
    [
      { text: 'Yes', data: 'yes', style: 'success' },
      { text: 'Too late', data: null, style: 'danger', disabled: true },
      { text: 'Copy', data: null, copyText: 'abc' },
    ],
  ]);
  for (const button of ['Too late', 'Copy']) {
    expect(await client.post('/api/clicks', { from: 1001, button })).toMatchObject({
      ok: false,
      error: `The button "${button}" sends nothing to the bot.`,
    });
  }
});

test.each([
  ['in a color that does not exist', { callback_data: 'x', style: 'pink' }, 'invalid button style specified'],
  ['that copies 257 characters', { copy_text: { text: 'x'.repeat(257) } }, 'BUTTON_COPY_TEXT_INVALID'],
])('a button %s is refused by sendMessage', async (_, button, reason) => {
  const inline_keyboard = [[{ text: 'x', ...button } as { text: string; callback_data: string }]];
  await expect(api.sendMessage(1001, 'x', { reply_markup: { inline_keyboard } })).rejects.toMatchObject(
    refusal(reason),
  );
});
