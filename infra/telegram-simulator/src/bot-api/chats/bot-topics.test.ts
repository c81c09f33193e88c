import type { Message } from 'grammy/types';
import { expect, test } from 'vitest';
import type { PersonAnswer } from '../../simulator-client.ts';
import { api, client, useSimulator } from '../../simulator.fixture.ts';

const OPS = -2001;
const DEPLOYS = 101;

useSimulator();

const refusal = (reason: string): object => ({ error_code: 400, description: `Bad Request: ${reason}` });
const beAdministrator = (): Promise<PersonAnswer> => client.post('/api/rights', { by: 1001, status: 'administrator' });
async function lastMessage(): Promise<Message | undefined> {
  return (await api.getUpdates()).at(-1)?.message;
}

test("the bot receives a message in a topic with the topic's id, as a reply to the topic's first message", async () => {
  await client.post('/api/messages', { from: 1002, chat: 'ops', topic: 'Deploys', text: '/status' });
  expect(await lastMessage()).toMatchObject({
    message_thread_id: DEPLOYS,
    is_topic_message: true,
    chat: { id: OPS, type: 'supergroup', is_forum: true },
    reply_to_message: { message_id: DEPLOYS, forum_topic_created: { name: 'Deploys' }, from: { id: 1001 } },
  });
});

test('a message in the general topic has no topic id, and sending to topic id 1 is refused', async () => {
  await client.post('/api/messages', { from: 1002, chat: 'ops', text: '/status' });
  const message = await lastMessage();
  expect(message).not.toHaveProperty('message_thread_id');
  expect(message).not.toHaveProperty('is_topic_message');
  expect(message).not.toHaveProperty('reply_to_message');
  await expect(api.sendMessage(OPS, 'x', { message_thread_id: 1 })).rejects.toMatchObject(
    refusal('message thread not found'),
  );
});

test('the bot can write into a topic, and its reply appears in the topic of the question', async () => {
  const asked = await client.post('/api/messages', { from: 1002, chat: 'ops', topic: DEPLOYS, text: '/status' });
  const reply_parameters = { message_id: asked.messageId };
  expect(await api.sendMessage(OPS, 'there', { message_thread_id: 102 })).toMatchObject({ message_thread_id: 102 });
  expect(await api.sendMessage(OPS, 'back', { reply_parameters })).toMatchObject({
    message_thread_id: DEPLOYS,
    reply_to_message: { text: '/status' },
  });
  expect((await client.messages(1002, 'ops')).map(({ topicId }) => topicId)).toEqual([DEPLOYS, 102, DEPLOYS]);
});

test('a message or typing in a topic that does not exist is refused, and so is a topic in a private chat', async () => {
  await client.post('/api/messages', { from: 1001, text: 'hi' });
  const options = { message_thread_id: 999 };
  await expect(api.sendMessage(OPS, 'x', options)).rejects.toMatchObject(refusal('message thread not found'));
  await expect(api.sendChatAction(OPS, 'typing', options)).rejects.toMatchObject(refusal('message thread not found'));
  await expect(api.sendMessage(1001, 'x', { message_thread_id: DEPLOYS })).rejects.toMatchObject(
    refusal('message thread not found'),
  );
});

test('a bot that is made an administrator is notified, and receives all messages of the group', async () => {
  await beAdministrator();
  expect((await api.getUpdates()).at(-1)?.my_chat_member).toMatchObject({
    chat: { id: OPS },
    old_chat_member: { status: 'member' },
    new_chat_member: { status: 'administrator', can_manage_topics: true },
  });
  expect((await client.post('/api/messages', { from: 1002, chat: 'ops', text: 'lunch?' })).updateId).not.toBeNull();
});

test('a bot that was removed from the group receives and sends nothing there', async () => {
  await client.post('/api/rights', { by: 1001, status: 'kicked' });
  await expect(api.sendMessage(OPS, 'x')).rejects.toMatchObject({
    error_code: 403,
    description: 'Forbidden: bot was kicked from the supergroup chat',
  });
  expect((await client.post('/api/messages', { from: 1002, chat: 'ops', text: '/status' })).updateId).toBeNull();
});
