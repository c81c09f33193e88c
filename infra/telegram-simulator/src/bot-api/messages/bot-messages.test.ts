import { expect, test } from 'vitest';
import { DEFAULT_TOKEN } from '../../server.ts';
import { api, client, simulator, useSimulator } from '../../simulator.fixture.ts';

useSimulator({ greeted: true });

const go = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };

function refusedWith(description: string, code = 400): object {
  return { error_code: code, description };
}

test('a message may have at most 4,096 UTF-16 units after trimming', async () => {
  const longest = '👍'.repeat(2_048);
  expect((await api.sendMessage(1001, `${longest}  \n`)).text).toBe(longest);
  await expect(api.sendMessage(1001, `${longest}.`)).rejects.toMatchObject(
    refusedWith('Bad Request: message is too long'),
  );
});

test("an empty text, an unknown chat and a reply to an unknown message are refused in Telegram's own words", async () => {
  await expect(api.sendMessage(1001, '')).rejects.toMatchObject(refusedWith('Bad Request: message text is empty'));
  await expect(api.sendMessage(4242, 'x')).rejects.toMatchObject(refusedWith('Bad Request: chat not found'));
  const reply_parameters = { message_id: 1 };
  await expect(api.sendMessage(1001, 'x', { reply_parameters })).rejects.toMatchObject(
    refusedWith('Bad Request: message to be replied not found'),
  );
  const lenient = { reply_parameters: { ...reply_parameters, allow_sending_without_reply: true } };
  expect((await api.sendMessage(1001, 'x', lenient)).reply_to_message).toBeUndefined();
});

test('a reply contains the message that it answers', async () => {
  const first = await api.sendMessage(1001, 'first');
  const second = await api.sendMessage(1001, 'second', { reply_parameters: { message_id: first.message_id } });
  expect(second.reply_to_message).toMatchObject({ message_id: first.message_id, text: 'first' });
});

test('button data of more than 64 bytes is refused, even if it has fewer characters', async () => {
  const withData = (callback_data: string): object => ({
    reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data }]] },
  });
  await api.sendMessage(1001, 'x', withData('é'.repeat(32)));
  await expect(api.sendMessage(1001, 'x', withData('é'.repeat(33)))).rejects.toMatchObject(
    refusedWith('Bad Request: BUTTON_DATA_INVALID'),
  );
});

test('a message with parse_mode is refused, because the simulator shows only entities', async () => {
  await expect(api.sendMessage(1001, '<b>x</b>', { parse_mode: 'HTML' })).rejects.toMatchObject(
    refusedWith('Bad Request: the simulator shows entities only: send entities instead of parse_mode'),
  );
});

test('editing a text without a keyboard removes the keyboard', async () => {
  const sent = await api.sendMessage(1001, 'old', { reply_markup: go });
  await api.editMessageText(1001, sent.message_id, 'new');
  const shown = (await client.messages(1001)).at(-1);
  expect(shown).toMatchObject({ text: 'new', buttons: null, editedAt: expect.any(Number) });
});

test('a message whose keyboard alone is edited is not marked as edited', async () => {
  const sent = await api.sendMessage(1001, 'text');
  await api.editMessageReplyMarkup(1001, sent.message_id, { reply_markup: go });
  const shown = (await client.messages(1001)).at(-1);
  expect(shown).toMatchObject({ buttons: [[{ text: 'Go', data: 'go' }]], editedAt: null });
});

test('an edit that changes nothing is refused', async () => {
  const sent = await api.sendMessage(1001, 'same', { reply_markup: go });
  await expect(api.editMessageText(1001, sent.message_id, 'same', { reply_markup: go })).rejects.toMatchObject(
    refusedWith(
      'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    ),
  );
});

test('a deleted message can be neither edited nor deleted again', async () => {
  const sent = await api.sendMessage(1001, 'gone soon');
  expect(await api.deleteMessage(1001, sent.message_id)).toBe(true);
  await expect(api.editMessageText(1001, sent.message_id, 'x')).rejects.toMatchObject(
    refusedWith('Bad Request: message to edit not found'),
  );
  await expect(api.deleteMessage(1001, sent.message_id)).rejects.toMatchObject(
    refusedWith('Bad Request: message to delete not found'),
  );
  expect((await client.messages(1001)).at(-1)).toMatchObject({ deleted: true, text: '' });
});

test('a bot cannot edit a message of a person', async () => {
  const { messageId } = await client.post('/api/messages', { from: 1001, text: 'mine' });
  await expect(api.editMessageText(1001, messageId, 'yours')).rejects.toMatchObject(
    refusedWith("Bad Request: message can't be edited"),
  );
});

test('a bot is shown as typing for five seconds', async () => {
  await api.sendChatAction(1001, 'typing');
  const shown = await client.nextEvent(({ kind }) => kind === 'chatAction', { as: 1001, after: 0 });
  expect(shown).toMatchObject({ chatId: 1001, action: 'typing', expiresInMs: 5_000 });
});

test('parameters in the query, in JSON, in a URL-encoded body and in a multipart form are read alike', async () => {
  const url = `${simulator.url}/bot${DEFAULT_TOKEN}/sendMessage`;
  const fields = { chat_id: '1001', text: 'héllo', reply_markup: JSON.stringify(go) };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
  const responses = await Promise.all([
    fetch(`${url}?${new URLSearchParams(fields).toString()}`, { method: 'POST' }),
    fetch(url, { method: 'POST', body: new URLSearchParams(fields) }),
    fetch(url, { method: 'POST', body: form }),
    fetch(url, json),
  ]);
  for (const response of responses) {
    expect(await response.json()).toMatchObject({ ok: true, result: { text: 'héllo', reply_markup: go } });
  }
});

test('a null parameter of a Bot API call counts as missing', async () => {
  const response = await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: 1001, text: 'x', entities: null, reply_markup: null, parse_mode: null }),
  });
  expect(await response.json()).toMatchObject({ ok: true, result: { text: 'x' } });
});

test('the error for a parameter of a wrong type names the parameter', async () => {
  const response = await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/getMyCommands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ language_code: 7 }),
  });
  expect(await response.json()).toMatchObject({ description: 'Bad Request: wrong parameter language_code in request' });
});

test('a body that is not JSON is refused with an error in the format of the Bot API', async () => {
  const response = await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{broken',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ ok: false, error_code: 400 });
});

test('commands are stored by scope, and a person is offered the commands of the narrowest scope', async () => {
  const all = [{ command: 'help', description: 'What I can do' }];
  const own = [{ command: 'status', description: 'What runs' }];
  await api.setMyCommands(all);
  await api.setMyCommands(own, { scope: { type: 'chat', chat_id: 1001 } });
  expect(await api.getMyCommands()).toEqual(all);
  expect(await api.getMyCommands({ scope: { type: 'chat', chat_id: 1002 } })).toEqual([]);
  expect(await client.get('/api/commands?as=1001')).toEqual(own);
  expect(await client.get('/api/commands?as=1002')).toEqual(all);
  await api.deleteMyCommands({ scope: { type: 'chat', chat_id: 1001 } });
  expect(await client.get('/api/commands?as=1001')).toEqual(all);
});

test('a command with a capital letter is refused', async () => {
  await expect(api.setMyCommands([{ command: 'Help', description: 'x' }])).rejects.toMatchObject(
    refusedWith('Bad Request: BOT_COMMAND_INVALID'),
  );
});
