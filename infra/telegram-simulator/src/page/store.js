import * as simulator from './simulator.js';

const PAGE_SIZE = 60;
/** Above the first number the oldest go until the second is left; they come back on demand. */
const MAX_LOADED = 500;
const KEPT_LOADED = 250;
const READ_KEY = 'signalbox-simulator-read';

/** What the page knows: people, their chats, the messages of each chat, and what each person has read. */
export function createStore() {
  const store = { people: [], chats: new Map(), messages: new Map(), hasOlder: new Map(), typing: new Map(), seq: 0 };
  const read = loadRead();
  // The sorted lists that `messagesOf` gave; a change of a chat throws its list away.
  const sorted = new Map();

  return Object.assign(store, {
    /** Loads everything again: at the start, and when the simulator forgot what we missed. */
    async load() {
      store.people = await simulator.listPeople();
      const pages = await Promise.all(store.people.map(loadChatsOf));
      store.seq = Math.min(...pages.flat().map((page) => page.seq));
    },
    async loadPeople() {
      store.people = await simulator.listPeople();
      await Promise.all(store.people.filter((person) => !store.chats.has(person.id)).map(loadChatsOf));
    },
    async loadOlder(person, chat) {
      const before = store.messagesOf(chat)[0]?.messageId;
      const page = await simulator.listMessages(person, chat, { limit: PAGE_SIZE, before });
      keepPage(chat, page);
    },
    person: (id) => store.people.find((person) => person.id === id),
    chatsOf: (person) => store.chats.get(person) ?? [],
    chat: (person, id) => store.chatsOf(person).find((chat) => chat.id === id),
    /** The messages of a chat that are not deleted, oldest first. */
    messagesOf(chat) {
      const known = sorted.get(chat);
      if (known) return known;
      const shown = [...(store.messages.get(chat)?.values() ?? [])].filter((message) => !message.deleted);
      sorted.set(
        chat,
        shown.sort((a, b) => a.messageId - b.messageId),
      );
      return shown;
    },
    message: (chat, id) => store.messages.get(chat)?.get(id),
    /** Takes a newer state of a message; answers whether it was news. */
    putMessage(message) {
      const messages = store.messages.get(message.chatId) ?? new Map();
      store.messages.set(message.chatId, messages);
      const known = messages.get(message.messageId);
      if (known && known.seq >= message.seq) return false;
      messages.set(message.messageId, message);
      sorted.delete(message.chatId);
      return true;
    },
    trim(chat) {
      const loaded = store.messagesOf(chat);
      if (loaded.length <= MAX_LOADED) return false;
      for (const message of loaded.slice(0, -KEPT_LOADED)) store.messages.get(chat).delete(message.messageId);
      store.hasOlder.set(chat, true);
      sorted.delete(chat);
      return true;
    },
    unread(person, chat) {
      const mark = read[`${person}:${chat}`] ?? 0;
      return store.messagesOf(chat).filter((one) => one.messageId > mark && one.from.id !== person).length;
    },
    unreadOf: (person) => store.chatsOf(person).reduce((sum, chat) => sum + store.unread(person, chat.id), 0),
    markRead(person, chat) {
      const newest = store.messagesOf(chat).at(-1)?.messageId ?? 0;
      const key = `${person}:${chat}`;
      if ((read[key] ?? 0) >= newest) return;
      read[key] = newest;
      saveRead(read);
    },
  });

  async function loadChatsOf(person) {
    const chats = await simulator.listChats(person.id);
    store.chats.set(person.id, chats);
    return Promise.all(
      chats.map(async (chat) => {
        const page = await simulator.listMessages(person.id, chat.id, { limit: PAGE_SIZE });
        store.messages.set(chat.id, new Map());
        sorted.delete(chat.id);
        keepPage(chat.id, page);
        return page;
      }),
    );
  }

  function keepPage(chat, page) {
    for (const message of page.messages) store.putMessage(message);
    store.hasOlder.set(chat, page.hasOlder);
  }
}

/** Private windows may refuse storage; then what is read is remembered until the page closes. */
function loadRead() {
  try {
    return JSON.parse(localStorage.getItem(READ_KEY) ?? '{}');
  } catch {
    return {};
  }
}

function saveRead(read) {
  try {
    localStorage.setItem(READ_KEY, JSON.stringify(read));
  } catch {
    // See loadRead.
  }
}
