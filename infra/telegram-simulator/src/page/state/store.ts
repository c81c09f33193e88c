import type { BotView } from '../../bot-api/chats/bot-menu.ts';
import type { ChatView } from '../../store/chat-shapes.ts';
import type { MessageView } from '../../store/message-view.ts';
import type { MessagesView, PersonView, TopicView } from '../../people/person-api.ts';
import type { Draft } from '../../store/draft.ts';
import * as simulator from './simulator.ts';
import { isVisibleTo } from '../../people/visibility.ts';

const KEY = 'signalbox-simulator-read';

type Seen = Pick<MessageView, 'messageId' | 'ephemeral' | 'deleted'> & { readonly from: { readonly id: number } };

const PAGE_SIZE = 60;
/** Maximum pages loaded to find one more message of a quiet topic. */
const MAX_PAGES = 20;

/** Data of the page: bot, people, chats, topics, messages and read marks. Topic null is the general one; undefined means all. */
export class Store {
  bot: BotView | null = null;
  people: readonly PersonView[] = [];
  topics: readonly TopicView[] = [];
  /** Number of the last loaded event. */
  seq = 0;
  readonly #chats = new Map<number, readonly ChatView[]>();
  readonly #messages = new Map<number, Map<number, MessageView>>();
  /** First loaded message by chat; missing when the whole chat is loaded. */
  readonly #loadedFrom = new Map<number, number>();
  readonly #marks = new ReadMarks();
  /** Cached results of `messagesOf`. A change of a chat removes the results of that chat. */
  readonly #arranged = new Map<string, readonly MessageView[]>();

  /** Reloads everything; returns the current drafts. */
  async load(): Promise<readonly Draft[]> {
    [this.bot, this.people] = await Promise.all([simulator.readBot(), simulator.listPeople()]);
    for (const known of [this.#messages, this.#arranged, this.#loadedFrom]) known.clear();
    const pages = (await Promise.all(this.people.map((person) => this.#loadChatsOf(person)))).flat();
    this.seq = Math.min(...pages.map((page) => page.seq));
    return pages.flatMap(({ draft }) => draft ?? []);
  }

  async loadPeople(): Promise<void> {
    this.people = await simulator.listPeople();
    await Promise.all(this.people.filter(({ id }) => !this.#chats.has(id)).map((one) => this.#loadChatsOf(one)));
  }

  async loadBot(): Promise<void> {
    this.bot = await simulator.readBot();
  }

  /** Loads older messages until at least one of them is visible. */
  async loadOlder(person: number, chat: number, topic: number | null): Promise<void> {
    const before = this.messagesOf(person, chat, topic).length;
    for (let page = 0; page < MAX_PAGES && this.hasOlder(chat); page += 1) {
      await this.#loadPage(chat);
      if (this.messagesOf(person, chat, topic).length > before) return;
    }
  }

  hasOlder(chat: number): boolean {
    return this.#loadedFrom.has(chat);
  }

  person(id: number): PersonView | undefined {
    return this.people.find((person) => person.id === id);
  }

  botName(): string {
    return this.bot?.name ?? '';
  }

  titleOf({ type, title }: ChatView): string {
    return type === 'private' ? this.botName() : title;
  }

  chatsOf(person: number): readonly ChatView[] {
    return this.#chats.get(person) ?? [];
  }

  chat(person: number, id: number): ChatView | undefined {
    return this.chatsOf(person).find((chat) => chat.id === id);
  }

  topicsOf(chat: ChatView): readonly TopicView[] {
    return chat.type === 'group' ? this.topics : [];
  }

  membersOf(chat: number): readonly PersonView[] {
    return this.people.filter((person) => this.chat(person.id, chat) !== undefined);
  }

  /** Returns the messages that a person sees, oldest first, without deleted ones. */
  messagesOf(person: number, chat: number, topic?: number | null): readonly MessageView[] {
    const key = `${chat}:${person}:${topic}`;
    const known = this.#arranged.get(key);
    if (known) return known;
    const all = [...(this.#messages.get(chat)?.values() ?? [])];
    const inTopic = all.filter((message) => topic === undefined || message.topicId === topic);
    const shown = arrangeMessages(inTopic, person);
    this.#arranged.set(key, shown);
    return shown;
  }

  /** Returns a loaded message. */
  message(chat: number, id: number): MessageView | undefined {
    return this.#messages.get(chat)?.get(id);
  }

  /** Returns the messages of an album, or the single message. */
  albumOf(message: MessageView): readonly MessageView[] {
    if (message.albumId === null) return [message];
    const all = [...(this.#messages.get(message.chatId)?.values() ?? [])];
    return all.filter((one) => one.albumId === message.albumId && !one.deleted);
  }

  /** Stores a newer version of a message; returns false when it is not newer. */
  putMessage(message: MessageView): boolean {
    const inChat = this.#messages.get(message.chatId) ?? new Map<number, MessageView>();
    this.#messages.set(message.chatId, inChat);
    if ((inChat.get(message.messageId)?.seq ?? -1) >= message.seq) return false;
    inChat.set(message.messageId, message);
    for (const key of this.#arranged.keys()) if (key.startsWith(`${message.chatId}:`)) this.#arranged.delete(key);
    return true;
  }

  unread(person: number, chat: number, topic?: number | null): number {
    return this.messagesOf(person, chat, topic).filter(
      ({ from, messageId, topicId }) => from.id !== person && messageId > this.#marks.of(person, markOf(chat, topicId)),
    ).length;
  }

  unreadOf(person: number): number {
    return this.chatsOf(person).reduce((sum, chat) => sum + this.unread(person, chat.id), 0);
  }

  markRead(person: number, chat: number, topic: number | null): void {
    const ids = this.messagesOf(person, chat, topic).map(({ messageId }) => messageId);
    this.#marks.set(person, markOf(chat, topic), Math.max(0, ...ids));
  }

  async #loadChatsOf({ id }: PersonView): Promise<readonly MessagesView[]> {
    const own = await simulator.listChats(id);
    this.#chats.set(id, own);
    return Promise.all(
      own.map(async (chat) => {
        const page = await simulator.listMessages(id, chat.id, PAGE_SIZE);
        this.#keepPages(chat.id, [page]);
        if (chat.type === 'group') this.topics = await simulator.listTopics(id);
        return page;
      }),
    );
  }

  /** Loads the next older messages as every member sees them, because some are ephemeral. */
  async #loadPage(chat: number): Promise<void> {
    const before = this.#loadedFrom.get(chat);
    const load = ({ id }: PersonView): Promise<MessagesView> => simulator.listMessages(id, chat, PAGE_SIZE, before);
    const pages = await Promise.all(this.membersOf(chat).map(load));
    this.#loadedFrom.delete(chat);
    this.#keepPages(chat, pages);
  }

  #keepPages(chat: number, pages: readonly MessagesView[]): void {
    for (const message of pages.flatMap((page) => page.messages)) this.putMessage(message);
    const starts = pages.flatMap(({ hasOlder, messages: [first] }) => (hasOlder && first ? [first.messageId] : []));
    if (starts.length > 0) this.#loadedFrom.set(chat, Math.max(this.#loadedFrom.get(chat) ?? 0, ...starts));
  }
}

function markOf(chat: number, topic: number | null): string {
  return topic === null ? String(chat) : `${chat}/${topic}`;
}

/** Returns the messages that a person sees, oldest first, without deleted ones. */
export function arrangeMessages<Message extends Seen>(messages: readonly Message[], person: number): Message[] {
  return messages
    .filter((message) => !message.deleted && isVisibleTo(message, person))
    .toSorted((a, b) => a.messageId - b.messageId);
}

/** The newest message that each person has read in each chat. Stored by the browser, or in memory where it refuses. */
class ReadMarks {
  readonly #marks: Record<string, number> = load();

  of(person: number, chat: string): number {
    return this.#marks[`${person}:${chat}`] ?? 0;
  }

  /** Moves a mark forward, never back. */
  set(person: number, chat: string, messageId: number): void {
    if (this.of(person, chat) >= messageId) return;
    this.#marks[`${person}:${chat}`] = messageId;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#marks));
    } catch {
      // Private windows may refuse storage; the marks stay in memory.
    }
  }
}

function load(): Record<string, number> {
  try {
    // Only this class writes the key.
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}
