import { randomUUID } from 'node:crypto';
import { listButtons } from './button-view.ts';
import { stopDraft } from './drafts.ts';
import type { StoredMessage } from './entry.ts';
import { isShownToBot } from './group-privacy.ts';
import { detectEntities } from './message-entities.ts';
import { findChat, toBotMessage } from './message-shapes.ts';
import { nowSeconds, putNewMessage } from './new-message.ts';
import { GROUP, type Person, toUser } from './people.ts';
import { listMessages, type World } from './world.ts';

/** A person asked for something a Telegram client would not do. `status` is the HTTP status to answer. */
export class PersonError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'PersonError';
    this.status = status;
  }
}

export interface Draft {
  readonly from: number;
  readonly chatId: number;
  readonly text: string;
  readonly replyTo: number | null;
  /** Sends the text as it is: not trimmed, whatever its length. */
  readonly raw: boolean;
}

/** The limit of Telegram clients, in UTF-16 units; they split longer texts. */
export const MAX_TEXT_LENGTH = 4096;

/** A person writes. `updateId` is null if the bot does not get to see it. */
export function sendFromPerson(world: World, draft: Draft): { updateId: number | null; message: StoredMessage } {
  const person = requireMember(world, draft.from, draft.chatId);
  const text = checkText(draft.text, draft.raw);
  const { chatId, replyTo } = draft;
  if (replyTo !== null) requireMessage(world, chatId, replyTo);
  if (chatId === person.id) startContact(world, person);
  const message = putNewMessage(world, {
    chatId,
    fromId: person.id,
    text,
    entities: detectEntities(text),
    replyTo,
  });
  return { updateId: addMessageUpdate(world, 'message', message), message };
}

/** A person changes a text of theirs. */
export function editFromPerson(
  world: World,
  edit: { from: number; chatId: number; messageId: number; text: string },
): { updateId: number | null; message: StoredMessage } {
  const person = requireMember(world, edit.from, edit.chatId);
  const old = requireMessage(world, edit.chatId, edit.messageId);
  if (old.fromId !== person.id) throw new PersonError(403, 'Only the author can edit a message.');
  const text = checkText(edit.text, false);
  if (text === old.text) throw new PersonError(400, 'The text is the same as before.');
  const message = world.putMessage('edit', {
    ...old,
    text,
    entities: detectEntities(text),
    editDate: Math.max(nowSeconds(), old.date),
  });
  return { updateId: addMessageUpdate(world, 'edited_message', message), message };
}

/** A person presses a button, named by its label or its data; of the newest message that has it, unless one is named. */
export function clickFromPerson(
  world: World,
  click: { from: number; chatId: number; messageId: number | null; button: string },
): { updateId: number | null; callbackQueryId: string } {
  const person = requireMember(world, click.from, click.chatId);
  const { message, data } = findButton(world, click);
  const id = `${Date.now()}${randomUUID().replace(/\D/g, '').slice(0, 6)}`;
  const { chatId, messageId } = message;
  world.commit({
    kind: 'click',
    click: { id, personId: person.id, chatId, messageId, atMs: Date.now(), answer: null },
  });
  const updateId = world.updates.add({
    callback_query: {
      id,
      from: toUser(person),
      message: toBotMessage(world.state, world.bot, message),
      chat_instance: String(chatId),
      data,
    },
  });
  return { updateId, callbackQueryId: id };
}

/** A person presses Stop at the message that the bot is writing. */
export function stopFromPerson(world: World, personId: number): { updateId: number | null; draftId: number } {
  const person = requirePerson(world, personId);
  const draftId = stopDraft(world, person.id);
  if (draftId === null) throw new PersonError(404, `Nothing that ${person.name} could stop is being written.`);
  const chat = findChat(world.state, person.id);
  if (chat?.type !== 'private') return { updateId: null, draftId };
  return { updateId: world.updates.add({ stopped_message_generation: { chat, draft_id: draftId } }), draftId };
}

/** A person blocks the bot or lets it in again. Doing so twice changes nothing and tells nobody. */
export function blockFromPerson(world: World, personId: number, blocked: boolean): { updateId: number | null } {
  const person = requirePerson(world, personId);
  const contact = world.contactOf(person.id);
  if (contact.blocked === blocked) return { updateId: null };
  world.commit({ kind: 'contact', contact: { ...contact, blocked } });
  world.announce({ kind: 'people' });
  const { id, is_bot, first_name, username } = world.bot;
  const user = { id, is_bot, first_name, username };
  const member = { user, status: 'member' } as const;
  const kicked = { user, status: 'kicked', until_date: 0 } as const;
  const chat = findChat(world.state, person.id);
  if (!chat) return { updateId: null };
  return {
    updateId: world.updates.add({
      my_chat_member: {
        chat,
        from: toUser(person),
        date: nowSeconds(),
        old_chat_member: blocked ? member : kicked,
        new_chat_member: blocked ? kicked : member,
      },
    }),
  };
}

/** The person of an id, or 404. */
export function requirePerson(world: World, id: number): Person {
  const person = world.state.people.get(id);
  if (!person) throw new PersonError(404, `There is no person ${id}. POST /api/people {"id":…,"name":…} adds one.`);
  return person;
}

/** The person of an id if they are in this chat, or 403. */
export function requireMember(world: World, personId: number, chatId: number): Person {
  const person = requirePerson(world, personId);
  const isMember = chatId === GROUP.id ? person.inGroup : chatId === person.id;
  if (!isMember) throw new PersonError(403, `${person.name} is not in chat ${chatId}.`);
  return person;
}

function startContact(world: World, person: Person): void {
  const contact = world.contactOf(person.id);
  if (contact.blocked) throw new PersonError(403, `${person.name} blocked the bot: unblock it first.`);
  if (!contact.started) world.commit({ kind: 'contact', contact: { ...contact, started: true } });
}

function addMessageUpdate(world: World, kind: 'message' | 'edited_message', message: StoredMessage): number | null {
  const replied = message.replyTo === null ? undefined : world.state.chats.get(message.chatId)?.get(message.replyTo);
  const repliesToBot = replied?.fromId === world.bot.id;
  if (!isShownToBot({ chatId: message.chatId, text: message.text, entities: message.entities, repliesToBot }))
    return null;
  const body = toBotMessage(world.state, world.bot, message);
  // A text message of a private or group chat is what both kinds of update hold; the library's type is a wider union.
  return world.updates.add(
    kind === 'message'
      ? { message: body }
      : { edited_message: { ...body, edit_date: message.editDate ?? message.date } },
  );
}

function checkText(given: string, raw: boolean): string {
  if (raw) return given;
  const text = given.trim();
  if (text === '') throw new PersonError(400, 'The text is empty.');
  if (text.length > MAX_TEXT_LENGTH) {
    throw new PersonError(400, `The text has ${text.length} UTF-16 units; clients split at ${MAX_TEXT_LENGTH}.`);
  }
  return text;
}

function requireMessage(world: World, chatId: number, messageId: number): StoredMessage {
  const message = world.state.chats.get(chatId)?.get(messageId);
  if (!message || message.deleted) throw new PersonError(404, `There is no message ${messageId} in chat ${chatId}.`);
  return message;
}

function findButton(
  world: World,
  click: { chatId: number; messageId: number | null; button: string },
): { message: StoredMessage; data: string } {
  const { chatId, messageId, button: wanted } = click;
  const candidates =
    messageId === null ? listMessages(world.state, chatId) : [requireMessage(world, chatId, messageId)];
  for (const message of candidates.reverse()) {
    const button = listButtons(message).find((one) => one.text === wanted || one.data === wanted);
    if (!button) continue;
    const { data } = button;
    if (data === null) throw new PersonError(400, `The button "${button.text}" sends nothing to the bot.`);
    return { message, data };
  }
  throw new PersonError(404, `No message${messageId === null ? '' : ` ${messageId}`} has a button "${wanted}".`);
}
