import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeBotStatus } from '../bot-api/chats/bot-rights.ts';
import { BotStatus } from '../store/event.ts';
import { GROUP } from './people.ts';
import { PersonError, requireMember } from './person-access.ts';
import { blockFromPerson } from './person-block.ts';
import { clickFromPerson, stopFromPerson } from './person-clicks.ts';
import { deleteFromPerson, forwardFromPerson, reactFromPerson } from './person-actions.ts';
import { parseWithFiles, PersonFile } from './person-files.ts';
import { editFromPerson, sendFromPerson } from './person-messages.ts';
import { ICON_COLORS, MAX_TOPIC_NAME_LENGTH } from '../store/topic.ts';
import { changeTopic, createTopic, findTopic } from '../store/topics.ts';
import { resolveChatName, type Store } from '../store/store.ts';

const chatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);
const Message = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  text: z.string().default(''),
  replyTo: z.int().nullish(),
  topic: z.union([z.int(), z.string().min(1)]).nullish(),
  raw: z.boolean().default(false),
  files: z.array(PersonFile).default([]),
});
const Edit = z.strictObject({ from: z.int(), chat: chatName.optional(), messageId: z.int(), text: z.string() });
const Click = z
  .strictObject({
    from: z.int(),
    chat: chatName.optional(),
    messageId: z.int().nullish(),
    button: z.string().min(1).optional(),
    data: z.string().optional(),
  })
  .refine(
    ({ button, data, messageId }) => (data === undefined ? button !== undefined : messageId != null),
    'a click names a button, or data and messageId',
  );
const Reaction = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  messageId: z.int(),
  emoji: z.string().nullable(),
});
const Deletion = z.strictObject({ from: z.int(), chat: chatName.optional(), messageIds: z.array(z.int()).min(1) });
const Forward = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  messageId: z.int(),
  to: chatName.optional(),
});
const Stop = z.strictObject({ from: z.int() });
const TopicName = z.string().trim().min(1).max(MAX_TOPIC_NAME_LENGTH);
const NewTopic = z.strictObject({
  from: z.int(),
  chat: z.literal('ops').default('ops'),
  name: TopicName,
  iconColor: z.literal(ICON_COLORS).optional(),
});
const TopicChange = z.strictObject({ from: z.int(), name: TopicName.optional(), isClosed: z.boolean().optional() });
const Rights = z.strictObject({ by: z.int(), status: BotStatus });
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });

/** Serves what people do: for the page, the terminal chat and tests. Answers are JSON. */
export function registerPersonActions(app: FastifyInstance, store: Store): void {
  app.post('/api/messages', async (request) => {
    const { chat, replyTo = null, topic = null, ...given } = parseWithFiles(Message, request.body);
    const chatId = resolveChatName(chat ?? given.from);
    const sent = sendFromPerson(store, { ...given, chatId, replyTo, topic });
    const [{ updateId, message }] = sent;
    const messageIds = sent.map((one) => one.message.messageId);
    return { ok: true, updateId, messageId: message.messageId, messageIds, chatId, seq: message.seq };
  });

  app.post('/api/edits', async (request) => {
    const { from, chat, messageId, text } = Edit.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    const { updateId, message } = editFromPerson(store, { from, chatId, messageId, text });
    return { ok: true, updateId, messageId, chatId, seq: message.seq };
  });

  app.post('/api/clicks', async (request) => {
    const { from, chat, messageId = null, button = null, data = null } = Click.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    return { ok: true, ...clickFromPerson(store, { from, chatId, messageId, button, data }) };
  });

  app.get<{ Params: { id: string } }>('/api/clicks/:id', async (request) => {
    const click = store.state.clicks.get(request.params.id);
    if (!click) throw new PersonError(404, `There was no click ${request.params.id}.`);
    const { answer } = click;
    return { answered: answer !== null, text: answer?.text ?? '', showAlert: answer?.showAlert ?? false };
  });

  app.post('/api/reactions', async (request) => {
    const { from, chat, messageId, emoji } = Reaction.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    return { ok: true, ...reactFromPerson(store, { from, chatId, messageId, emoji }) };
  });

  app.post('/api/deletions', async (request) => {
    const { from, chat, messageIds } = Deletion.parse(request.body);
    deleteFromPerson(store, { from, chatId: resolveChatName(chat ?? from), messageIds });
    return { ok: true };
  });

  app.post('/api/forwards', async (request) => {
    const { from, chat, messageId, to } = Forward.parse(request.body);
    const [chatId, toChatId] = [resolveChatName(chat ?? from), resolveChatName(to ?? from)];
    const { updateId, message } = forwardFromPerson(store, { from, chatId, messageId, toChatId });
    return { ok: true, updateId, messageId: message.messageId, chatId: toChatId, seq: message.seq };
  });

  app.post('/api/drafts/stop', async (request) => ({
    ok: true,
    ...stopFromPerson(store, Stop.parse(request.body).from),
  }));

  app.post('/api/topics', async (request) => {
    const { from, chat, name, iconColor } = NewTopic.parse(request.body);
    const chatId = resolveChatName(chat);
    const person = requireMember(store, from, chatId);
    const { topic, updateId } = createTopic(store, { chatId, creatorId: person.id, name, iconColor });
    return { ok: true, updateId, topicId: topic.topicId };
  });

  app.post<{ Params: { id: string } }>('/api/topics/:id', async (request) => {
    const { from, name, isClosed } = TopicChange.parse(request.body);
    const topic = findTopic(store, GROUP.id, Number(request.params.id));
    if (!topic) throw new PersonError(404, `There is no topic ${request.params.id}.`);
    const person = requireMember(store, from, topic.chatId);
    changeTopic(store, topic, { by: person.id, name, isClosed });
    return { ok: true, topicId: topic.topicId };
  });

  app.post('/api/rights', async (request) => ({ ok: true, ...changeBotStatus(store, Rights.parse(request.body)) }));

  app.post('/api/block', async (request) => {
    const { person, blocked } = Block.parse(request.body);
    return { ok: true, ...blockFromPerson(store, person, blocked) };
  });
}
