import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findCommandsFor } from './bot-commands.ts';
import { findDraft } from './drafts.ts';
import type { Person } from './people.ts';
import { Role } from './people.ts';
import { listChats, toMessageView } from './message-shapes.ts';
import * as action from './person-actions.ts';
import { PersonError, requireMember, requirePerson } from './person-actions.ts';
import { listMessages, resolveChatName, type World } from './world.ts';

const number = z.coerce.number().pipe(z.int());
const chatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);

const NewPerson = z.strictObject({
  id: z.int().positive(),
  name: z.string().trim().min(1).max(64),
  role: Role.default('stranger'),
  inGroup: z.boolean().default(false),
});
const Message = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  text: z.string(),
  replyTo: z.int().nullish(),
  raw: z.boolean().default(false),
});
const Edit = z.strictObject({ from: z.int(), chat: chatName.optional(), messageId: z.int(), text: z.string() });
const ClickRequest = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  messageId: z.int().nullish(),
  button: z.string().min(1),
});
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });
const As = z.object({ as: number });
const MessagesQuery = As.extend({
  after: number.default(0),
  /** Only the newest so many, and only older than this message: for pages that load in parts. */
  limit: number.pipe(z.int().positive()).optional(),
  before: number.optional(),
});

/** Serves what people do and see: for the page, the terminal chat and tests. Answers are JSON. */
export function registerPersonApi(app: FastifyInstance, world: World): void {
  app.get('/api/people', async () => [...world.state.people.values()].map((person) => toPersonView(world, person)));

  app.post('/api/people', async (request) => {
    const person = NewPerson.parse(request.body);
    if (person.id === world.bot.id) throw new PersonError(400, `${person.id} is the id of the bot.`);
    world.commit({ kind: 'person', person });
    world.announce({ kind: 'people' });
    return { ok: true, ...toPersonView(world, person) };
  });

  app.get('/api/chats', async (request) => listChats(requirePerson(world, As.parse(request.query).as)));

  app.post('/api/messages', async (request) => {
    const given = Message.parse(request.body);
    const chatId = resolveChatName(given.chat ?? given.from);
    const draft = { from: given.from, chatId, text: given.text, replyTo: given.replyTo ?? null, raw: given.raw };
    const { updateId, message } = action.sendFromPerson(world, draft);
    return { ok: true, updateId, messageId: message.messageId, chatId, seq: message.seq };
  });

  app.post('/api/edits', async (request) => {
    const { from, chat, messageId, text } = Edit.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    const { updateId, message } = action.editFromPerson(world, { from, chatId, messageId, text });
    return { ok: true, updateId, messageId, chatId, seq: message.seq };
  });

  app.post('/api/clicks', async (request) => {
    const { from, chat, messageId, button } = ClickRequest.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    return { ok: true, ...action.clickFromPerson(world, { from, chatId, messageId: messageId ?? null, button }) };
  });

  app.get<{ Params: { id: string } }>('/api/clicks/:id', async (request) => {
    const click = world.state.clicks.get(request.params.id);
    if (!click) throw new PersonError(404, `There was no click ${request.params.id}.`);
    const { answer } = click;
    return { answered: answer !== null, text: answer?.text ?? '', showAlert: answer?.showAlert ?? false };
  });

  app.post('/api/drafts/stop', async (request) => {
    const { from } = z.strictObject({ from: z.int() }).parse(request.body);
    return { ok: true, ...action.stopFromPerson(world, from) };
  });

  app.post('/api/block', async (request) => {
    const { person, blocked } = Block.parse(request.body);
    return { ok: true, ...action.blockFromPerson(world, person, blocked) };
  });

  app.get<{ Params: { id: string } }>('/api/chats/:id/messages', async (request) => {
    const query = MessagesQuery.parse(request.query);
    const chatId = resolveChatName(request.params.id);
    requireMember(world, query.as, chatId);
    const { after, before, limit } = query;
    const matching = listMessages(world.state, chatId).filter(
      (message) => message.seq > after && (before === undefined || message.messageId < before),
    );
    const messages = limit === undefined ? matching : matching.slice(-limit);
    return {
      seq: world.currentSeq(),
      draft: findDraft(world, chatId),
      typing: (world.typingUntil.get(chatId) ?? 0) > Date.now(),
      hasOlder: messages.length < matching.length,
      messages: messages.map((message) => toMessageView(world.state, world.bot, message)),
    };
  });

  app.get('/api/commands', async (request) => {
    const { as, chat } = As.extend({ chat: z.string().optional() }).parse(request.query);
    const chatId = resolveChatName(chat ?? as);
    requireMember(world, as, chatId);
    return findCommandsFor(world, as, chatId, 'en');
  });
}

function toPersonView(world: World, person: Person): object {
  const { id, name, role } = person;
  return { id, name, role, blocked: world.contactOf(id).blocked };
}
