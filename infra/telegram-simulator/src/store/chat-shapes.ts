import type { Chat, User } from 'grammy/types';
import { BOT_NAME, GROUP, type Person, toUser } from './people.ts';
import type { SimulatorState } from './state.ts';

/** A chat in the person API. */
export interface ChatView {
  readonly id: number;
  readonly title: string;
  readonly type: 'private' | 'group';
}

export type BotApiChat = Chat.PrivateChat | Chat.SupergroupChat;

/** Returns a chat in the Bot API's shape; null when unknown. */
export function findChat(state: SimulatorState, chatId: number): BotApiChat | null {
  if (chatId === GROUP.id) return toGroupChat();
  const person = state.people.get(chatId);
  if (!person) return null;
  const { first_name, username } = toUser(person);
  return { id: person.id, type: 'private', first_name, ...(username === undefined ? {} : { username }) };
}

export function toGroupChat(): Chat.SupergroupChat {
  return { ...GROUP, type: 'supergroup', is_forum: true };
}

export function listChats(person: Person): ChatView[] {
  const own: ChatView = { id: person.id, title: BOT_NAME, type: 'private' };
  return person.inGroup ? [own, { ...GROUP, type: 'group' }] : [own];
}

/** Returns the sender by id: a person or the bot. */
export function toSender(state: SimulatorState, bot: User, id: number): User {
  const person = state.people.get(id);
  if (person) return toUser(person);
  const { is_bot, first_name, username } = bot;
  return { id: bot.id, is_bot, first_name, ...(username === undefined ? {} : { username }) };
}
