import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeBotStatus, notifyBotStatus } from '../bot-api/chats/bot-rights.ts';
import { BotStatus, type StoredMessage } from '../store/event.ts';
import { type SentMessage, sendUpdate } from './sent-update.ts';
import {
  PersonError,
  ActingPerson,
  ChatName,
  resolveActingChat,
  requireMember,
  requireMessage,
  requirePerson,
} from './person-access.ts';
import { clickFromPerson, PersonClick, stopFromPerson } from './person-clicks.ts';
import { parseWithFiles } from './person-files.ts';
import { editFromPerson, PersonEdit, PersonMessage, sendFromPerson } from './person-messages.ts';
import type { Store } from '../store/store.ts';
import { putNewMessage, toForwarded } from '../store/new-message.ts';
import { resolveChatName } from '../store/people.ts';

const PersonForward = ActingPerson.extend({ messageId: z.int(), to: ChatName.optional() })
  .transform(resolveActingChat)
  .transform(({ to, ...given }) => ({ ...given, toChatId: resolveChatName(to ?? given.from) }));

const Stop = z.strictObject({ from: z.int() });
const Rights = z.strictObject({ by: z.int(), status: BotStatus });
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });

/** Serves people's actions as JSON for the page, the terminal chat and tests. */
export function registerPersonActions(app: FastifyInstance, store: Store): void {
  function serve<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    run: (given: z.output<Schema>) => object | void,
  ): void {
    app.post(path, async (request) => ({
      ok: true,
      ...run(schema.parse(request.body)),
    }));
  }

  app.post('/api/messages', async (request) => {
    const sent = sendFromPerson(store, parseWithFiles(PersonMessage, request.body));
    return { ok: true, ...toAnswer(sent[0]), messageIds: sent.map((one) => one.message.messageId) };
  });
  serve('/api/edits', PersonEdit, (given) => toAnswer(editFromPerson(store, given)));
  serve('/api/clicks', PersonClick, (given) => clickFromPerson(store, given));
  serve('/api/forwards', PersonForward, (given) => toAnswer(forwardFromPerson(store, given)));
  serve('/api/drafts/stop', Stop, ({ from }) => stopFromPerson(store, from));
  serve('/api/rights', Rights, (given) => changeBotStatus(store, given));
  serve('/api/block', Block, ({ person, blocked }) => blockFromPerson(store, person, blocked));
  app.get<{ Params: { id: string } }>('/api/clicks/:id', async (request) => {
    const click = store.state.clicks.get(request.params.id);
    if (!click) throw new PersonError(404, `There was no click ${request.params.id}.`);
    const { answer } = click;
    return { answered: answer !== null, text: answer?.text ?? '', showAlert: answer?.showAlert ?? false };
  });
}

function toAnswer({ updateId, message }: SentMessage): object {
  const { messageId, chatId, seq } = message;
  return { updateId, messageId, chatId, seq };
}

/** Forwards a visible message to another chat of the person, with its buttons, so that a click can come from an unexpected chat. */
function forwardFromPerson(store: Store, action: z.output<typeof PersonForward>): SentMessage {
  const person = requireMember(store, action.from, action.chatId);
  requireMember(store, action.from, action.toChatId);
  const message = requireMessage(store, action.chatId, action.messageId, person.id);
  if (message.ephemeral !== null) throw new PersonError(400, 'This message cannot be forwarded.');
  const forwarded: StoredMessage = putNewMessage(store, {
    ...toForwarded(message),
    chatId: action.toChatId,
    fromId: person.id,
  });
  return sendUpdate(store, 'message', forwarded);
}

/** Blocks or unblocks the bot. Idempotent. */
function blockFromPerson(store: Store, personId: number, blocked: boolean): { readonly updateId: number | null } {
  const person = requirePerson(store, personId);
  const contact = store.contactOf(person.id);
  if (contact.blocked === blocked) return { updateId: null };
  store.commit({ kind: 'contact', contact: { ...contact, blocked } });
  store.announce({ kind: 'people' });
  const [before, after] = blocked ? (['member', 'kicked'] as const) : (['kicked', 'member'] as const);
  return notifyBotStatus(store, { person, chatId: person.id, before, after });
}
