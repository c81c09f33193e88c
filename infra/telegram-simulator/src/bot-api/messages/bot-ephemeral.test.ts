import { expect, test } from 'vitest';
import type { FeedEvent } from '../../store/feed.ts';
import { api, client, simulator, useSimulator } from '../../simulator.fixture.ts';

const OPS = -2001;
const go = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] };

useSimulator();

const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
const seenBy = async (person: number): Promise<string[]> =>
  (await client.messages(person, 'ops')).filter(({ deleted }) => !deleted).map(({ text }) => text);

/** Clicks a button in the group; returns the parameters that allow an ephemeral message to this person. */
async function click(from: number): Promise<{ receiver_user_id: number; callback_query_id: string }> {
  await api.sendMessage(OPS, 'card', { reply_markup: go });
  const { callbackQueryId } = await client.post('/api/clicks', { from, chat: 'ops', button: 'Go' });
  return { receiver_user_id: from, callback_query_id: callbackQueryId };
}

test('the bot can answer a click with an ephemeral message that only the person who clicked sees', async () => {
  const sent = await api.sendMessage(OPS, 'only for Ben', { ephemeral_message_parameters: await click(1002) });
  expect(sent).toMatchObject({
    message_id: 0,
    ephemeral_message_id: expect.any(Number),
    receiver_user: { id: 1002, first_name: 'Ben' },
  });
  expect(await seenBy(1002)).toEqual(['card', 'only for Ben']);
  expect(await seenBy(1003)).toEqual(['card']);
});

test('the event stream shows an ephemeral message only to its receiver', async () => {
  const ephemeral_message_parameters = await click(1002);
  const seen = async (query: string): Promise<FeedEvent[]> => {
    const response = await fetch(`${simulator.url}/api/events?after=0${query}`);
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    // Waits for the last public event.
    while (!text.includes('"end of it"')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    return [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? '{}') as FeedEvent);
  };
  await api.sendMessage(OPS, 'psst', { ephemeral_message_parameters });
  await api.sendMessage(OPS, 'end of it');
  const collectTexts = (events: readonly FeedEvent[]): string[] =>
    events.flatMap((event) => ('message' in event ? event.message.text : []));
  expect(collectTexts(await seen('&as=1002'))).toEqual(['card', 'psst', 'end of it']);
  expect(collectTexts(await seen('&as=1003'))).toEqual(['card', 'end of it']);
  expect(collectTexts(await seen(''))).toEqual(['card', 'end of it']);
});

test('a command declared as ephemeral and its answer are visible only to its sender and the bot', async () => {
  await api.setMyCommands([{ command: 'secret', description: 'Only for you', is_ephemeral: true }]);
  await client.post('/api/messages', { from: 1002, chat: 'ops', text: '/secret' });
  const message = (await api.getUpdates()).at(-1)?.message;
  expect(message).toMatchObject({ message_id: 0, receiver_user: { is_bot: true }, from: { id: 1002 } });
  const reply_parameters = { ephemeral_message_id: message?.ephemeral_message_id ?? 0 };
  await api.sendMessage(OPS, 'told', { reply_parameters, ephemeral_message_parameters: { receiver_user_id: 1002 } });
  expect(await seenBy(1002)).toEqual(['/secret', 'told']);
  expect(await seenBy(1003)).toEqual([]);
});

test('a reply to an ephemeral message is ephemeral too, and the bot receives it', async () => {
  await api.sendMessage(OPS, 'psst', { ephemeral_message_parameters: await click(1002) });
  const replyTo = (await client.messages(1002, 'ops')).at(-1)?.messageId;
  const { updateId } = await client.post('/api/messages', { from: 1002, chat: 'ops', text: 'what?', replyTo });
  expect(updateId).not.toBeNull();
  expect(await seenBy(1003)).toEqual(['card']);
});

test('an ephemeral message can be edited and deleted only by the methods for ephemeral messages', async () => {
  const sent = await api.sendMessage(OPS, 'draft', { ephemeral_message_parameters: await click(1002) });
  const id = sent.ephemeral_message_id ?? 0;
  await expect(api.editMessageText(OPS, id, 'x')).rejects.toMatchObject(refusal('message to edit not found'));
  await expect(api.deleteMessage(OPS, id)).rejects.toMatchObject(refusal('message to delete not found'));
  await api.raw.editEphemeralMessageText({
    chat_id: OPS,
    receiver_user_id: 1002,
    ephemeral_message_id: id,
    text: 'Sure?',
    reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  });
  expect(await client.post('/api/clicks', { from: 1003, chat: 'ops', button: 'Yes' })).toMatchObject({ ok: false });
  await client.post('/api/clicks', { from: 1002, chat: 'ops', button: 'Yes' });
  expect((await api.getUpdates()).at(-1)?.callback_query).toMatchObject({
    data: 'yes',
    message: { message_id: 0, ephemeral_message_id: id, text: 'Sure?' },
  });
  const one = { chat_id: OPS, receiver_user_id: 1002, ephemeral_message_id: id };
  expect(await api.raw.deleteEphemeralMessage(one)).toBe(true);
  expect(await seenBy(1002)).toEqual(['card']);
  await expect(api.raw.deleteEphemeralMessage(one)).rejects.toMatchObject(refusal('MESSAGE_ID_INVALID'));
});

test('an ephemeral message that is to replace the clicked message is refused', async () => {
  const parameters = { ...(await click(1002)), replace_callback_query_message: true };
  await expect(api.sendMessage(OPS, 'instead', { ephemeral_message_parameters: parameters })).rejects.toMatchObject(
    refusal('the simulator shows an ephemeral message below others, and in the place of none'),
  );
  expect(await seenBy(1002)).toEqual(['card']);
});

test('an ephemeral answer is refused fifteen seconds after the click, unless the bot is an administrator of the group', async () => {
  await client.post('/api/settings', { ephemeralWindowMs: 0 });
  const ephemeral_message_parameters = await click(1002);
  await expect(api.sendMessage(OPS, 'late', { ephemeral_message_parameters })).rejects.toMatchObject(
    refusal('query is too old and response timeout expired or query ID is invalid'),
  );
  await client.post('/api/rights', { by: 1001, status: 'administrator' });
  await api.sendMessage(OPS, 'any time', { ephemeral_message_parameters: { receiver_user_id: 1003 } });
  expect(await seenBy(1003)).toEqual(['card', 'any time']);
});

test('an ephemeral message that answers a click may go only to the person who clicked', async () => {
  const { callback_query_id } = await click(1002);
  const ephemeral_message_parameters = { receiver_user_id: 1003, callback_query_id };
  await expect(api.sendMessage(OPS, 'x', { ephemeral_message_parameters })).rejects.toMatchObject({ error_code: 400 });
});

test.each([
  ['to somebody who did nothing', OPS, 1002, 'BOT_NOT_ADMIN'],
  ['to somebody who is not there', OPS, 1009, 'USER_NOT_PARTICIPANT'],
  ['to the bot', OPS, 100, 'USER_IS_BOT'],
  ['in a private chat', 1002, 1002, 'BOT_NOT_ADMIN'],
])('an ephemeral message %s is refused', async (_, chat, receiver_user_id, reason) => {
  await client.post('/api/messages', { from: 1002, text: 'hi' });
  const options = { ephemeral_message_parameters: { receiver_user_id } };
  await expect(api.sendMessage(chat, 'x', options)).rejects.toMatchObject(refusal(reason));
  expect(await seenBy(1002)).toEqual([]);
});
