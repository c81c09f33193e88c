import { createReadMarks } from './read-marks.js';
import * as simulator from './simulator.js';

const PAGE_SIZE = 60;
/** Above the first number the oldest go until the second is left; they come back on demand. */
const MAX_LOADED = 500;
const KEPT_LOADED = 250;

/** What the page knows: people, their chats, the messages of each chat, and what each person has read. */
export function createStore({ onDraft }) {
  const store = { people: [], chats: new Map(), messages: new Map(), hasOlder: new Map(), seq: 0 };
  const marks = createReadMarks();
  // The sorted lists that `messagesOf` gave; a change of a chat throws its list away.
  const sorted = new Map();

  return Object.assign(store, {
    /** Loads everything again: at the start, and when the simulator forgot what we missed. */
    async load() {
      const people = await simulator.listPeople();
      store.messages.clear();
      sorted.clear();
      store.people = people;
      const pages = await Promise.all(store.people.map(loadChatsOf));
      store.seq = Math.min(...pages.flat().map((page) => page.seq));
    },
    async loadPeople() {
      store.people = await simulator.listPeople();
      await Promise.all(store.people.filter((person) => !store.chats.has(person.id)).map(loadChatsOf));
    },
    async loadOlder(person, chat) {
      const before = store.messagesOf(person, chat)[0]?.messageId;
      const page = await simulator.listMessages(person, chat, { limit: PAGE_SIZE, before });
      keepPage(chat, page);
    },
    person: (id) => store.people.find((person) => person.id === id),
    chatsOf: (person) => store.chats.get(person) ?? [],
    chat: (person, id) => store.chatsOf(person).find((chat) => chat.id === id),
    /** The messages of a chat that a person sees, oldest first, without the deleted ones. */
    messagesOf(person, chat) {
      const key = `${person}:${chat}`;
      const known = sorted.get(key);
      if (known) return known;
      const shown = [...(store.messages.get(chat)?.values() ?? [])].filter((message) => !message.deleted);
      shown.sort((a, b) => a.messageId - b.messageId);
      sorted.set(key, shown);
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
      forget(message.chatId);
      return true;
    },
    /** Lets go of the oldest messages of a long chat; answers whether there were any. */
    trim(person, chat) {
      const loaded = store.messagesOf(person, chat);
      if (loaded.length <= MAX_LOADED) return false;
      for (const message of loaded.slice(0, -KEPT_LOADED)) store.messages.get(chat).delete(message.messageId);
      store.hasOlder.set(chat, true);
      forget(chat);
      return true;
    },
    unread(person, chat) {
      const mark = marks.of(person, chat);
      return store.messagesOf(person, chat).filter((one) => one.messageId > mark && one.from.id !== person).length;
    },
    unreadOf: (person) => store.chatsOf(person).reduce((sum, chat) => sum + store.unread(person, chat.id), 0),
    markRead(person, chat) {
      marks.set(person, chat, store.messagesOf(person, chat).at(-1)?.messageId ?? 0);
    },
  });

  async function loadChatsOf(person) {
    const chats = await simulator.listChats(person.id);
    store.chats.set(person.id, chats);
    return Promise.all(
      chats.map(async (chat) => {
        const page = await simulator.listMessages(person.id, chat.id, { limit: PAGE_SIZE });
        keepPage(chat.id, page);
        if (page.draft) onDraft(page.draft);
        return page;
      }),
    );
  }

  function keepPage(chat, page) {
    for (const message of page.messages) store.putMessage(message);
    store.hasOlder.set(chat, page.hasOlder);
  }

  function forget(chat) {
    for (const key of sorted.keys()) if (key.endsWith(`:${chat}`)) sorted.delete(key);
  }
}
