import { expect, test } from 'vitest';
import { api, client, simulator, useSimulator } from '../simulator.fixture.ts';

useSimulator();

const go = { reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go:1' }]] } };

test("a stranger does not see the operators' group, and an operator does", async () => {
  const own = { id: 1009, title: 'Signalbox', type: 'private' };
  expect(await client.get('/api/chats?as=1009')).toEqual([own]);
  expect(await client.get('/api/chats?as=1003')).toContainEqual({ id: -2001, title: 'ops', type: 'group' });
  expect(await client.post('/api/messages', { from: 1009, chat: 'ops', text: 'hi' })).toMatchObject({ ok: false });
});

test('a person who was just added can send a message', async () => {
  await client.post('/api/people', { id: 7001, name: 'Gus' });
  await client.post('/api/messages', { from: 7001, text: 'hello' });
  expect(await client.get('/api/people')).toContainEqual({ id: 7001, name: 'Gus', role: 'stranger', blocked: false });
  expect(await api.getUpdates()).toMatchObject([{ message: { from: { id: 7001 }, chat: { type: 'private' } } }]);
});

test.each([
  ['lunch?', false],
  ['/status', true],
  ['/status@signalbox_bot', true],
  ['/status@other_bot', false],
  ['see /status', false],
  ['@signalbox_bot are you there?', true],
  ['@signalbox_bottle is not you', false],
])('in a group the bot receives the message %j (true or false: %s)', async (text, isReceived) => {
  const { updateId } = await client.post('/api/messages', { from: 1002, chat: 'ops', text });
  expect(updateId !== null).toBe(isReceived);
  expect(await api.getUpdates()).toHaveLength(isReceived ? 1 : 0);
});

test('in a group the bot receives replies to its own messages and no other replies', async () => {
  const { message_id } = await api.sendMessage(-2001, 'deployed');
  const reply = await client.post('/api/messages', { from: 1003, chat: 'ops', text: 'thanks', replyTo: message_id });
  const other = { from: 1004, chat: -2001, text: 'same', replyTo: reply.messageId };
  expect(reply.updateId).not.toBeNull();
  expect(await client.post('/api/messages', other)).toMatchObject({ ok: true, updateId: null });
});

test('a text of more than 4,096 UTF-16 units is refused, unless it is sent as a raw message', async () => {
  const text = 'x'.repeat(4_097);
  expect(await client.post('/api/messages', { from: 1001, text })).toMatchObject({ ok: false });
  expect(await client.post('/api/messages', { from: 1001, text, raw: true })).toMatchObject({ ok: true });
  expect(await api.getUpdates()).toMatchObject([{ message: { text } }]);
});

test('an edit of a person reaches the bot as an edited_message update', async () => {
  const { messageId } = await client.post('/api/messages', { from: 1001, text: 'delpoy' });
  await client.post('/api/edits', { from: 1001, messageId, text: 'deploy' });
  const updates = await api.getUpdates();
  expect(updates[1]).toMatchObject({
    edited_message: { message_id: messageId, text: 'deploy', edit_date: expect.any(Number) },
  });
  expect(await client.post('/api/edits', { from: 1002, chat: 1001, messageId, text: 'no' })).toMatchObject({
    ok: false,
  });
});

test("a click of a person reaches the bot, and the bot's answer reaches the person", async () => {
  await client.post('/api/messages', { from: 1001, text: 'hi' });
  const card = await api.sendMessage(1001, 'Sure?', go);
  const { callbackQueryId } = await client.post('/api/clicks', { from: 1001, button: 'Go' });
  const update = (await api.getUpdates()).at(-1);
  expect(update?.callback_query).toMatchObject({
    id: callbackQueryId,
    data: 'go:1',
    from: { id: 1001 },
    message: { message_id: card.message_id, text: 'Sure?' },
  });
  expect(await client.get(`/api/clicks/${callbackQueryId}`)).toEqual({ answered: false, text: '', showAlert: false });
  await api.answerCallbackQuery(callbackQueryId, { text: 'Done', show_alert: true });
  expect(await client.get(`/api/clicks/${callbackQueryId}`)).toEqual({
    answered: true,
    text: 'Done',
    showAlert: true,
  });
});

test('a click without a message id presses the newest message that has the button', async () => {
  await client.post('/api/messages', { from: 1001, text: 'hi' });
  const older = await api.sendMessage(1001, 'one', go);
  const newer = await api.sendMessage(1001, 'two', go);
  await client.post('/api/clicks', { from: 1001, button: 'go:1' });
  await client.post('/api/clicks', { from: 1001, button: 'Go', messageId: older.message_id });
  const clicked = (await api.getUpdates()).flatMap((update) => update.callback_query?.message?.message_id ?? []);
  expect(clicked).toEqual([newer.message_id, older.message_id]);
});

test("a click on a button that no message has is refused with the button's name", async () => {
  expect(await client.post('/api/clicks', { from: 1001, button: 'Nope' })).toEqual({
    ok: false,
    error: 'No message has a button "Nope".',
  });
});

test('an answer to an unknown callback query is refused as too old', async () => {
  await expect(api.answerCallbackQuery('123')).rejects.toMatchObject({
    description: 'Bad Request: query is too old and response timeout expired or query ID is invalid',
  });
});

test('a blocked bot gets a my_chat_member update and error 403, until the person unblocks it', async () => {
  await client.post('/api/messages', { from: 1001, text: 'hi' });
  await client.post('/api/block', { person: 1001, blocked: true });
  await expect(api.sendMessage(1001, 'x')).rejects.toMatchObject({
    error_code: 403,
    description: 'Forbidden: bot was blocked by the user',
  });
  expect((await api.getUpdates()).at(-1)?.my_chat_member).toMatchObject({
    chat: { id: 1001 },
    old_chat_member: { status: 'member' },
    new_chat_member: { status: 'kicked' },
  });
  expect(await client.post('/api/messages', { from: 1001, text: 'hm' })).toMatchObject({ ok: false });
  await client.post('/api/block', { person: 1001, blocked: false });
  expect((await api.sendMessage(1001, 'back')).text).toBe('back');
});

test('the list of messages after a sequence number holds only new and changed messages', async () => {
  const first = await client.post('/api/messages', { from: 1001, text: 'first' });
  const sent = await api.sendMessage(1001, 'second');
  const { seq } = await client.get<{ seq: number }>('/api/chats/1001/messages?as=1001');
  await api.editMessageText(1001, sent.message_id, 'changed');
  const page = await client.get<{ messages: object[] }>(`/api/chats/1001/messages?as=1001&after=${seq}`);
  expect(page.messages).toMatchObject([{ messageId: sent.message_id, text: 'changed' }]);
  const all = await client.messages(1001);
  expect(all.map((message) => message.messageId)).toEqual([first.messageId, sent.message_id]);
});

test('a person cannot read the private chat of another person', async () => {
  expect(await client.get('/api/chats/1001/messages?as=1002')).toMatchObject({ ok: false });
});

test('the event stream resumes after a sequence number without a gap', async () => {
  const first = await client.post('/api/messages', { from: 1001, text: 'first' });
  await client.post('/api/messages', { from: 1001, text: 'second' });
  const response = await fetch(`${simulator.url}/api/events?after=${first.seq}`);
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('data:')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  expect(text).toContain('"text":"second"');
  expect(text).not.toContain('"text":"first"');
});
