import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findCommandsFor } from '../bot-api/chats/bot-commands.ts';
import { toBotView } from '../bot-api/chats/bot-menu.ts';
import type { Draft } from '../store/draft.ts';
import { findDraft } from '../store/drafts.ts';
import { Person, resolveChatName, Role } from '../store/people.ts';
import { listChats } from '../store/chat-shapes.ts';
import { type MessageView, toMessageView } from '../store/message-view.ts';
import { isVisibleTo } from './visibility.ts';
import { PersonError, requireMember, requirePerson } from './person-access.ts';
import { listTopics, type Topic } from '../store/topic.ts';
import { listMessages, type Store } from '../store/store.ts';

/** A person in /api/people. */
export interface PersonView extends Omit<Person, 'inGroup'> {
  /** True when the person has blocked the bot. */
  readonly blocked: boolean;
}
/** A topic in /api/topics. */
export type TopicView = Pick<Topic, 'topicId' | 'name'>;
/** Response of /api/chats/:id/messages. */
export interface MessagesView {
  readonly seq: number;
  readonly draft: Draft | null;
  readonly hasOlder: boolean;
  readonly messages: readonly MessageView[];
}

const number = z.coerce.number().pipe(z.int());

const NewPerson = z.strictObject({
  ...Person.pick({ language: true }).shape,
  id: z.int().positive(),
  name: z.string().trim().min(1).max(64),
  role: Role.default('stranger'),
  inGroup: z.boolean().default(false),
});
const As = z.object({ as: number });
const MessagesQuery = As.extend({
  after: number.default(0),
  /** Page size; with `before`, only older messages. */
  limit: number.pipe(z.int().positive()).optional(),
  before: number.optional(),
});

/** Serves the state and actions of people as JSON for the page, the terminal chat and tests. */
export function registerPersonApi(app: FastifyInstance, store: Store): void {
  app.get('/api/people', async () => [...store.state.people.values()].map((person) => toPersonView(store, person)));

  app.post('/api/people', async (request) => {
    const person = NewPerson.parse(request.body);
    if (person.id === store.bot.id) throw new PersonError(400, `${person.id} is the id of the bot.`);
    store.commit({ kind: 'person', person });
    store.announce({ kind: 'people' });
    return { ok: true, ...toPersonView(store, person) };
  });

  app.get('/api/chats', async (request) => listChats(requirePerson(store, As.parse(request.query).as)));

  app.get<{ Params: { id: string } }>('/api/chats/:id/messages', async (request): Promise<MessagesView> => {
    const query = MessagesQuery.parse(request.query);
    const chatId = resolveChatName(request.params.id);
    requireMember(store, query.as, chatId);
    const { after, before, limit } = query;
    const matching = listMessages(store.state, chatId).filter(
      (message) =>
        isVisibleTo(message, query.as) && message.seq > after && (before === undefined || message.messageId < before),
    );
    const messages = limit === undefined ? matching : matching.slice(-limit);
    return {
      seq: store.currentSeq(),
      draft: findDraft(store, chatId),
      hasOlder: messages.length < matching.length,
      messages: messages.map((message) => toMessageView(store.state, store.bot, message)),
    };
  });

  app.get('/api/topics', async (request): Promise<TopicView[]> => {
    const { as, chat } = As.extend({ chat: z.string().default('ops') }).parse(request.query);
    const chatId = resolveChatName(chat);
    requireMember(store, as, chatId);
    return listTopics(chatId).map(({ topicId, name }) => ({ topicId, name }));
  });

  app.get('/api/bot', async (request) => toBotView(store, As.partial().parse(request.query).as ?? null));

  app.get('/api/commands', async (request) => {
    const { as, chat } = As.extend({ chat: z.string().optional() }).parse(request.query);
    const chatId = resolveChatName(chat ?? as);
    requireMember(store, as, chatId);
    return findCommandsFor(store, as, chatId, 'en');
  });
}

function toPersonView(store: Store, person: Person): PersonView {
  const { id, name, role } = person;
  return { id, name, role, blocked: store.contactOf(id).blocked };
}
