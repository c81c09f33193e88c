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
  await api.getUpdates({ allowed_updates: ['message', 'callback_query', 'message_reaction', 'my_chat_member'] });
});
afterEach(() => simulator.close());

const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
const lastUpdate = async (): Promise<Update | undefined> => (await api.getUpdates()).at(-1);

test('a bot reacts with one emoji, takes it back, and everybody sees it', async () => {
  const { messageId } = await client.post('/api/messages', { from: 1001, text: 'deploy' });
  await api.setMessageReaction(1001, messageId, [{ type: 'emoji', emoji: '👀' }]);
  await api.setMessageReaction(1001, messageId, [{ type: 'emoji', emoji: '👨‍💻' }]);
  expect((await client.messages(1001)).at(-1)).toMatchObject({
    reactions: [{ emoji: '👨‍💻', fromIds: [100] }],
    editedAt: null,
  });
  await api.setMessageReaction(1001, messageId, []);
  expect((await client.messages(1001)).at(-1)?.reactions).toEqual([]);
});

test('a reaction that Telegram does not have is refused, and two at once', async () => {
  const { messageId } = await client.post('/api/messages', { from: 1001, text: 'deploy' });
  const up = { type: 'emoji' as const, emoji: '👍' as const };
  await expect(api.setMessageReaction(1001, messageId, [{ ...up, emoji: '🚀' as '👍' }])).rejects.toMatchObject(
    refusal('REACTION_INVALID'),
  );
  await expect(api.setMessageReaction(1001, messageId, [up, up])).rejects.toMatchObject(refusal('REACTIONS_TOO_MANY'));
  await expect(api.setMessageReaction(1001, 1, [up])).rejects.toMatchObject(refusal('message to react not found'));
});

test('a person reacts, changes it and takes it back, and the bot hears all of it', async () => {
  const { message_id: messageId } = await api.sendMessage(1001, 'done');
  const react = (emoji: string | null): Promise<unknown> =>
    client.post('/api/reactions', { from: 1001, messageId, emoji });
  await react('👍');
  await react('👍');
  await react('🔥');
  await react(null);
  const changes = (await api.getUpdates()).flatMap(({ message_reaction: change }) =>
    change
      ? [[change.old_reaction, change.new_reaction].map((list) => list.map((one) => 'emoji' in one && one.emoji))]
      : [],
  );
  expect(changes).toEqual([
    [[], ['👍']],
    [['👍'], ['🔥']],
    [['🔥'], []],
  ]);
});

test('reactions are told only to a bot that asked for them, and in a group only to an administrator', async () => {
  const { message_id: messageId } = await api.sendMessage(OPS, 'done');
  const react = (emoji: string): Promise<{ updateId: number | null }> =>
    client.post('/api/reactions', { from: 1002, chat: 'ops', messageId, emoji });
  expect((await react('👍')).updateId).toBeNull();
  await client.post('/api/rights', { by: 1001, status: 'administrator' });
  expect((await react('🔥')).updateId).not.toBeNull();
  await api.getUpdates({ allowed_updates: [] });
  expect((await react('🎉')).updateId).toBeNull();
});

test('a click on a forwarded card comes from the chat that it was forwarded to', async () => {
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

test('of a card that was forwarded into the group the bot learns only which message it was', async () => {
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

test('a stale client clicks what is gone, and a forged one sends any data', async () => {
  const { message_id: messageId } = await api.sendMessage(1001, 'Sure?', card);
  await api.deleteMessage(1001, messageId);
  expect(await client.post('/api/clicks', { from: 1001, messageId, button: 'Approve' })).toMatchObject({ ok: false });
  await client.post('/api/clicks', { from: 1001, messageId, data: 'ok:999' });
  expect((await lastUpdate())?.callback_query).toMatchObject({
    data: 'ok:999',
    message: { message_id: messageId, date: 0 },
  });
});

test('nobody forwards from or into a chat of others', async () => {
  const { message_id: messageId } = await api.sendMessage(OPS, 'Deploy shop?', card);
  expect(await client.post('/api/forwards', { from: 1009, chat: 'ops', messageId })).toMatchObject({ ok: false });
  expect(await client.post('/api/forwards', { from: 1002, chat: 'ops', messageId, to: 1001 })).toMatchObject({
    ok: false,
  });
});

test('a person deletes messages, and no update tells the bot', async () => {
  const { message_id } = await api.sendMessage(1001, 'bot');
  const { messageId } = await client.post('/api/messages', { from: 1001, text: 'mine' });
  const before = await client.get('/api/pending');
  expect(await client.post('/api/deletions', { from: 1001, messageIds: [message_id, messageId] })).toEqual({
    ok: true,
  });
  expect((await client.messages(1001)).filter((message) => !message.deleted)).toHaveLength(1);
  expect(await client.get('/api/pending')).toBe(before);
  await expect(api.editMessageText(1001, message_id, 'x')).rejects.toMatchObject(refusal('message to edit not found'));
});

test('in a group a person deletes only what is theirs', async () => {
  const { message_id } = await api.sendMessage(OPS, 'bot');
  expect(await client.post('/api/deletions', { from: 1002, chat: 'ops', messageIds: [message_id] })).toMatchObject({
    ok: false,
  });
});

test('a bot deletes several at once, or none if one of them cannot be', async () => {
  const own = await api.sendMessage(OPS, 'own');
  const foreign = await client.post('/api/messages', { from: 1002, chat: 'ops', text: 'foreign' });
  await expect(api.deleteMessages(OPS, [own.message_id, foreign.messageId])).rejects.toMatchObject(
    refusal("message can't be deleted"),
  );
  expect(await api.deleteMessages(OPS, [own.message_id, 1])).toBe(true);
  const left = (await client.messages(1002, 'ops')).filter((message) => !message.deleted);
  expect(left.map(({ text }) => text)).toEqual(['foreign']);
});

test('colored, disabled and copying buttons are shown, and only those with data can be pressed', async () => {
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
])('a button %s is refused', async (_, button, reason) => {
  const inline_keyboard = [[{ text: 'x', ...button } as { text: string; callback_data: string }]];
  await expect(api.sendMessage(1001, 'x', { reply_markup: { inline_keyboard } })).rejects.toMatchObject(
    refusal(reason),
  );
});
