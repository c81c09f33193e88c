import type { ChatView } from '../../store/chat-shapes.ts';
import type { PersonView } from '../../people/person-api.ts';
import type { Store } from './store.ts';

/** The displayed person, chat and topic. */
export interface ShownChat {
  readonly person: PersonView;
  readonly chat: ChatView;
  /** Null in the general topic and in private chats. */
  readonly topic: number | null;
  /** True when a phone shows the list of chats instead of the chat. */
  readonly isList: boolean;
}

const GROUP = 'ops';

/** Parses the address after `#`, such as `#as=1001&chat=ops&topic=101`. Unknown values select the first person or chat; null without people. */
export function readShownChat(hash: string, store: Store): ShownChat | null {
  const wanted = new URLSearchParams(hash.slice(1));
  const person = store.person(Number(wanted.get('as'))) ?? store.people[0];
  const chats = person ? store.chatsOf(person.id) : [];
  const group = wanted.get('chat') === GROUP ? chats.find((one) => one.type === 'group') : undefined;
  const chat = group ?? chats[0];
  if (!person || !chat) return null;
  const topic = store.topicsOf(chat).find(({ topicId }) => topicId === Number(wanted.get('topic')))?.topicId ?? null;
  return { person, chat, topic, isList: wanted.has('list') || !wanted.has('as') };
}

export function buildUrlHash({ person, chat, topic, isList }: ShownChat): string {
  const parts = [`as=${person.id}`, chat.type === 'group' && `chat=${GROUP}`, topic && `topic=${topic}`];
  return `#${[...parts, isList && 'list'].filter(Boolean).join('&')}`;
}

/** Returns a key that stays equal while the same person sees the same chat and topic. */
export function buildChatKey({ person, chat, topic }: ShownChat): string {
  return `${person.id}:${chat.id}:${topic}`;
}
