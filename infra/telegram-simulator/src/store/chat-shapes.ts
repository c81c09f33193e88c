import type { Chat, User } from 'grammy/types';
import { BOT_NAME, GROUP, type Person, toUser } from './people.ts';
import type { State } from './state.ts';

/** A chat of a simulated person, as the API lists it that the page and tests use. */
export interface ChatView {
  readonly id: number;
  readonly title: string;
  readonly type: 'private' | 'group';
}

export type KnownChat = Chat.PrivateChat | Chat.SupergroupChat;

/** The chat of an id as the Bot API shows it; null if there is none. */
export function findChat(state: State, chatId: number): KnownChat | null {
  if (chatId === GROUP.id) return toGroupChat();
  const person = state.people.get(chatId);
  if (!person) return null;
  const { first_name, username } = toUser(person);
  return { id: person.id, type: 'private', first_name, ...(username === undefined ? {} : { username }) };
}

/** The group as the Bot API shows it. */
export function toGroupChat(): Chat.SupergroupChat {
  return { ...GROUP, type: 'supergroup', is_forum: true };
}

/** The chats that a person sees. */
export function listChats(person: Person): ChatView[] {
  const own: ChatView = { id: person.id, title: BOT_NAME, type: 'private' };
  return person.inGroup ? [own, { ...GROUP, type: 'group' }] : [own];
}

/** Who wrote something: a person, or the bot. */
export function toSender(state: State, bot: User, id: number): User {
  const person = state.people.get(id);
  if (person) return toUser(person);
  const { is_bot, first_name, username } = bot;
  return { id: bot.id, is_bot, first_name, ...(username === undefined ? {} : { username }) };
}
