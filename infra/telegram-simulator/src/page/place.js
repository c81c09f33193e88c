const GROUP = 'ops';

/**
 * Where the page is, as its address says: `#as=1001&chat=ops&topic=101` is Ada in a topic of the group. `list` is the list
 * of chats, which stands beside the chat on a wide screen and instead of it on a phone. `topic` is null in the general
 * topic and in private chats.
 */
export function readPlace(hash, store) {
  const wanted = new URLSearchParams(hash.slice(1));
  const person = store.person(Number(wanted.get('as'))) ?? store.people[0];
  const chats = store.chatsOf(person.id);
  const group = wanted.get('chat') === GROUP ? chats.find((one) => one.type === 'group') : undefined;
  const chat = group ?? chats[0];
  const topics = store.topicsOf(chat.id);
  const topic = topics.find(({ topicId }) => topicId === Number(wanted.get('topic')))?.topicId ?? null;
  return { person, chat, topic, isList: wanted.has('list') || !wanted.has('as') };
}

/** The address of a place. */
export function hashOf({ person, chat, topic, isList }) {
  const parts = [`as=${person.id}`, chat.type === 'group' && `chat=${GROUP}`, topic && `topic=${topic}`];
  return `#${[...parts, isList && 'list'].filter(Boolean).join('&')}`;
}
