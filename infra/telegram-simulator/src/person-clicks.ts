import { randomUUID } from 'node:crypto';
import { listButtons } from './button-view.ts';
import { stopDraft } from './drafts.ts';
import type { StoredMessage } from './entry.ts';
import { toBotMessage } from './bot-message-shape.ts';
import { findChat } from './chat-shapes.ts';
import { isVisibleTo } from './message-view.ts';
import { toUser } from './people.ts';
import { PersonError, requireMember, requireMessage, requirePerson } from './person-access.ts';
import { listMessages, type World } from './world.ts';

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

function findButton(
  world: World,
  click: { from: number; chatId: number; messageId: number | null; button: string },
): { message: StoredMessage; data: string } {
  const { from, chatId, messageId, button: wanted } = click;
  const candidates =
    messageId === null
      ? listMessages(world.state, chatId).filter((message) => isVisibleTo(message, from))
      : [requireMessage(world, chatId, messageId, from)];
  for (const message of candidates.reverse()) {
    const button = listButtons(message).find((one) => one.text === wanted || one.data === wanted);
    if (!button) continue;
    const { data } = button;
    if (data === null) throw new PersonError(400, `The button "${button.text}" sends nothing to the bot.`);
    return { message, data };
  }
  throw new PersonError(404, `No message${messageId === null ? '' : ` ${messageId}`} has a button "${wanted}".`);
}
