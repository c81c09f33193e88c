import { expect, test } from 'vitest';
import { DEFAULT_TOKEN } from './server.ts';
import { api, client, simulator, useSimulator } from './simulator.fixture.ts';

useSimulator();

const card = { reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] } };

test('messages, files, clicks and role changes through the simulator client reach the bot', async () => {
  await client.say(1001, 'hi');
  await client.say(1001, 'look', { files: [{ name: 'a.txt', data: 'AAAA' }] });
  const { message_id } = await api.sendMessage(1001, 'Sure?', card);
  const { callbackQueryId } = await client.click(1001, 'Go', { messageId: message_id });
  await api.answerCallbackQuery(callbackQueryId, { text: 'Done', show_alert: true });
  expect(await client.clickAnswer(callbackQueryId)).toEqual({ answered: true, text: 'Done', showAlert: true });
  await client.setBotStatus('administrator');
  await client.say(1002, 'lunch?', { chat: 'ops', topic: 'Deploys' });
  const kinds = (await api.getUpdates()).map((update) => Object.keys(update)[1]);
  expect(kinds).toEqual(['message', 'message', 'callback_query', 'my_chat_member', 'message']);
});

test("a call that the simulator refuses throws an error with the simulator's explanation", async () => {
  await expect(client.say(1009, 'hi', { chat: 'ops' })).rejects.toThrow('Zoe is not in chat -2001.');
  await expect(client.stopDraft(1001)).rejects.toThrow('Nothing that Ada could stop is being written.');
});

test('the simulator client can read and stop a draft', async () => {
  await client.say(1001, 'hi');
  await api.sendMessageDraft(1001, 5, 'So far', { can_stop: true });
  expect(await client.draft(1001)).toMatchObject({ draftId: 5, text: 'So far' });
  expect((await client.stopDraft(1001)).draftId).toBe(5);
  expect(await client.draft(1001)).toBeNull();
});

test('the simulator client can queue and clear faults, and list the calls of a method', async () => {
  await client.say(1001, 'hi');
  await client.fault({ method: 'sendMessage', error: 'tooManyRequests', times: 2 });
  await expect(api.sendMessage(1001, 'x')).rejects.toMatchObject({ parameters: { retry_after: 1 } });
  await client.clearFaults();
  await api.sendMessage(1001, 'x');
  expect((await client.calls('sendMessage')).map(({ status }) => status)).toEqual([429, 200]);
});

test('the simulator client lists every parameter that the Bot API does not know', async () => {
  await api.getMe();
  expect(await client.problems()).toEqual([]);
  await fetch(`${simulator.url}/bot${DEFAULT_TOKEN}/getMe?verbose=1`);
  expect(await client.problems()).toEqual(['getMe: verbose is unknown']);
});
