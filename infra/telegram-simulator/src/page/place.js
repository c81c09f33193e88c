const GROUP = 'ops';

/**
 * Where the page is, as its address says: `#as=1001&chat=ops` is Ada in the group. `list` is the list of chats, which
 * stands beside the chat on a wide screen and instead of it on a phone.
 */
export function readPlace(hash, store) {
  const wanted = new URLSearchParams(hash.slice(1));
  const person = store.person(Number(wanted.get('as'))) ?? store.people[0];
  const chats = store.chatsOf(person.id);
  const chat = wanted.get('chat') === GROUP ? chats.find((one) => one.type === 'group') : undefined;
  return { person, chat: chat ?? chats[0], isList: wanted.has('list') || !wanted.has('as') };
}

/** The address of a place. */
export function hashOf({ person, chat, isList = false }) {
  const parts = [`as=${person.id}`, chat.type === 'group' && `chat=${GROUP}`, isList && 'list'];
  return `#${parts.filter(Boolean).join('&')}`;
}
