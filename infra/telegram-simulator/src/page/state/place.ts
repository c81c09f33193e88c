import type { ChatView } from '../../store/chat-shapes.ts';
import type { PersonView } from '../../people/person-api.ts';
import type { Store } from './store.ts';

/** Where the page is: a person in a chat. */
export interface Place {
  readonly person: PersonView;
  readonly chat: ChatView;
  /** Null in the general topic and in private chats. */
  readonly topic: number | null;
  /** The list of chats, which stands beside the chat on a wide screen and instead of it on a phone. */
  readonly isList: boolean;
}

const GROUP = 'ops';

/**
 * Reads a place from the part of the address after `#`: `#as=1001&chat=ops&topic=101` is Ada in a topic of the group.
 * Unknown names lead to the first person and to their first chat; null means that nobody is there.
 */
export function readPlace(hash: string, store: Store): Place | null {
  const wanted = new URLSearchParams(hash.slice(1));
  const person = store.person(Number(wanted.get('as'))) ?? store.people[0];
  const chats = person ? store.chatsOf(person.id) : [];
  const group = wanted.get('chat') === GROUP ? chats.find((one) => one.type === 'group') : undefined;
  const chat = group ?? chats[0];
  if (!person || !chat) return null;
  const topic = store.topicsOf(chat).find(({ topicId }) => topicId === Number(wanted.get('topic')))?.topicId ?? null;
  return { person, chat, topic, isList: wanted.has('list') || !wanted.has('as') };
}

/** The address of a place. */
export function hashOf({ person, chat, topic, isList }: Place): string {
  const parts = [`as=${person.id}`, chat.type === 'group' && `chat=${GROUP}`, topic && `topic=${topic}`];
  return `#${[...parts, isList && 'list'].filter(Boolean).join('&')}`;
}

/** Identifies a place: the same as long as the page shows one chat, or topic, to one person. */
export function keyOf({ person, chat, topic }: Place): string {
  return `${person.id}:${chat.id}:${topic}`;
}
