import { createReadMarks } from './read-marks.js';
import * as simulator from './simulator.js';
import { arrangeMessages } from './visibility.js';

const PAGE_SIZE = 60;
/** Above the first number the oldest go until the second is left; they come back on demand. */
const MAX_LOADED = 1_000;
const KEPT_LOADED = 500;
/** How many pages are asked for one more message of a quiet topic. */
const MAX_PAGES = 20;

/**
 * What the page knows: the bot, people, their chats with their topics, the messages of each chat, and what each person
 * has read. Chats are asked for by the id of a person and of a chat, and of a topic: null is the general one, and without
 * it all topics count.
 */
export function createStore({ onDraft }) {
  const store = { bot: null, people: [], seq: 0 };
  const chats = new Map();
  const topics = new Map();
  const messages = new Map();
  // From which message on everything is loaded, by chat; missing if it is all.
  const loadedFrom = new Map();
  // Messages that others answer, out of their order.
  const quoted = new Map();
  const marks = createReadMarks();
  // The lists that `messagesOf` gave; a change of a chat throws its lists away.
  const arranged = new Map();

  return Object.assign(store, {
    /** Loads everything again: at the start, and when the simulator forgot what we missed. */
    async load() {
      const [bot, people] = await Promise.all([simulator.readBot(), simulator.listPeople()]);
      messages.clear();
      quoted.clear();
      arranged.clear();
      Object.assign(store, { bot, people });
      const pages = await Promise.all(people.map(loadChatsOf));
      store.seq = Math.min(...pages.flat().map((page) => page.seq));
    },
    async loadPeople() {
      store.people = await simulator.listPeople();
      await Promise.all(store.people.filter((person) => !chats.has(person.id)).map(loadChatsOf));
    },
    async loadBot() {
      store.bot = await simulator.readBot();
    },
    async loadTopics(chat) {
      topics.set(chat, await simulator.listTopics(membersOf(chat)[0].id));
    },
    /** Loads older messages until one of them is shown here. */
    async loadOlder(person, chat, topic) {
      const before = store.messagesOf(person, chat, topic).length;
      for (let page = 0; page < MAX_PAGES && store.hasOlder(chat); page += 1) {
        await loadPage(chat);
        if (store.messagesOf(person, chat, topic).length > before) return;
      }
    },
    hasOlder: (chat) => loadedFrom.has(chat),
    person: (id) => store.people.find((person) => person.id === id),
    /** The name of a person or of the bot. */
    nameOf: (id) => store.person(id)?.name ?? store.bot.name,
    titleOf: (chat) => (chat.type === 'private' ? store.bot.name : chat.title),
    chatsOf: (person) => chats.get(person) ?? [],
    chat: (person, id) => store.chatsOf(person).find((chat) => chat.id === id),
    topicsOf: (chat) => topics.get(chat) ?? [],
    membersOf,
    /** The messages that a person sees, oldest first, without the deleted ones. */
    messagesOf(person, chat, topic) {
      const key = `${chat}:${person}:${topic}`;
      const known = arranged.get(key);
      if (known) return known;
      const inTopic = [...(messages.get(chat)?.values() ?? [])].filter(
        (message) => topic === undefined || message.topicId === topic,
      );
      const shown = arrangeMessages(inTopic, person);
      arranged.set(key, shown);
      return shown;
    },
    /** A message of a chat, if it is loaded or was asked for. */
    message: (chat, id) => messages.get(chat)?.get(id) ?? quoted.get(`${chat}:${id}`),
    /** Loads a message that another one answers and that is too old to be loaded. Answers whether it was asked for now. */
    async loadQuoted(person, chat, id) {
      const key = `${chat}:${id}`;
      if (quoted.has(key)) return false;
      quoted.set(key, undefined);
      const { messages: found } = await simulator.listMessages(person, chat, { limit: 1, before: id + 1 });
      quoted.set(key, found.find(({ messageId }) => messageId === id) ?? { deleted: true });
      return true;
    },
    /** The messages of an album, or the one message. */
    albumOf: (message) =>
      message.albumId === null
        ? [message]
        : [...messages.get(message.chatId).values()].filter((one) => one.albumId === message.albumId && !one.deleted),
    /** Takes a newer state of a message; answers whether it was news. */
    putMessage(message) {
      const inChat = messages.get(message.chatId) ?? new Map();
      messages.set(message.chatId, inChat);
      const known = inChat.get(message.messageId);
      if (known && known.seq >= message.seq) return false;
      inChat.set(message.messageId, message);
      forget(message.chatId);
      return true;
    },
    /** Lets go of the oldest messages of a long chat; answers whether there were any. */
    trim(chat) {
      const inChat = messages.get(chat);
      if (!inChat || inChat.size <= MAX_LOADED) return false;
      const ids = [...inChat.keys()].sort((a, b) => a - b);
      for (const id of ids.slice(0, -KEPT_LOADED)) inChat.delete(id);
      loadedFrom.set(chat, ids.at(-KEPT_LOADED));
      forget(chat);
      return true;
    },
    unread(person, chat, topic) {
      return store.messagesOf(person, chat, topic).filter((message) => isUnread(person, message)).length;
    },
    unreadOf: (person) => store.chatsOf(person).reduce((sum, chat) => sum + store.unread(person, chat.id), 0),
    markRead(person, chat, topic) {
      const newest = Math.max(0, ...store.messagesOf(person, chat, topic).map(({ messageId }) => messageId));
      marks.set(person, keyOf(chat, topic), newest);
    },
  });

  function isUnread(person, { chatId, topicId, messageId, from, service }) {
    return service === null && from.id !== person && messageId > marks.of(person, keyOf(chatId, topicId));
  }

  function membersOf(chat) {
    return store.people.filter((person) => store.chat(person.id, chat) !== undefined);
  }

  async function loadChatsOf(person) {
    const own = await simulator.listChats(person.id);
    chats.set(person.id, own);
    return Promise.all(
      own.map(async (chat) => {
        const page = await simulator.listMessages(person.id, chat.id, { limit: PAGE_SIZE });
        keepPage(chat.id, [page]);
        if (page.draft) onDraft(page.draft);
        if (chat.type === 'group') topics.set(chat.id, await simulator.listTopics(person.id));
        return page;
      }),
    );
  }

  /** The next older messages, as each member of the chat sees them: some are for one of them alone. */
  async function loadPage(chat) {
    const options = { limit: PAGE_SIZE, before: loadedFrom.get(chat) };
    const pages = await Promise.all(membersOf(chat).map(({ id }) => simulator.listMessages(id, chat, options)));
    loadedFrom.delete(chat);
    keepPage(chat, pages);
  }

  function keepPage(chat, pages) {
    for (const message of pages.flatMap((page) => page.messages)) store.putMessage(message);
    const starts = pages.filter((page) => page.hasOlder).map((page) => page.messages[0].messageId);
    if (starts.length > 0) loadedFrom.set(chat, Math.max(loadedFrom.get(chat) ?? 0, ...starts));
  }

  function forget(chat) {
    for (const key of arranged.keys()) if (key.startsWith(`${chat}:`)) arranged.delete(key);
  }
}

function keyOf(chat, topic) {
  return topic === null || topic === undefined ? String(chat) : `${chat}/${topic}`;
}
