import type { UserFromGetMe } from 'grammy/types';
import type { Draft } from './draft.ts';
import type { Contact, StoreEvent, StoredMessage } from './event.ts';
import { type Change, Feed } from './feed.ts';
import { createFileBytes, type FileBytes } from './file-bytes.ts';
import { createVolatileJournal, type Journal, readJournal, rewriteJournal } from './journal.ts';
import { toMessageView } from './message-view.ts';
import { createBotUser } from './people.ts';
import { createSettings } from './settings.ts';
import { applyEvent, listEvents, State } from './state.ts';
import { UpdatesQueue } from './updates-queue.ts';

export interface WebhookError {
  /** Unix seconds. */
  readonly date: number;
  readonly message: string;
}

interface StoreOptions {
  readonly token: string;
  readonly dataDir?: string | undefined;
}

/**
 * Everything that both sides, bot and people, act on: of a folder, or empty and in memory. All of it is synchronous, so every
 * action is atomic. The constructor throws if the log is damaged before its last line.
 */
export class Store {
  readonly bot: UserFromGetMe;
  readonly state = new State(Date.now());
  readonly updates: UpdatesQueue;
  readonly feed: Feed;
  readonly settings = createSettings();
  /** The last time that the webhook did not take an update; not kept over a restart. */
  webhookError: WebhookError | null = null;
  /** What is in the files that were sent. */
  readonly fileBytes: FileBytes;
  /** Drafts by chat, and the last one of a chat that was stopped: what the bot still sends for it is not shown. */
  readonly drafts = { shown: new Map<number, Draft>(), stopped: new Map<number, number>() };
  readonly #journal: Journal;
  readonly #listeners: ((event: StoreEvent) => void)[] = [];

  constructor({ token, dataDir }: StoreOptions) {
    const { state } = this;
    this.bot = createBotUser(token);
    const { journal, isNew } = loadJournal(state, dataDir);
    this.#journal = journal;
    // Numbers given to events that are not in the log (typing) must not come again after a restart.
    state.next.seq = Math.max(state.next.seq, Date.now());
    this.feed = new Feed(isNew ? 0 : state.next.seq - 1);
    this.fileBytes = createFileBytes(dataDir);
    this.updates = new UpdatesQueue(state, (event) => this.commit(event));
  }

  /** Writes a fact to the log, then makes it true. */
  commit(event: StoreEvent): void {
    this.#journal.append(event);
    applyEvent(this.state, event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls the listener after every fact from now on. */
  onCommit(listener: (event: StoreEvent) => void): void {
    this.#listeners.push(listener);
  }

  announce(change: Change): void {
    this.feed.publish({ ...change, seq: this.state.next.seq++ });
  }

  /** Stores a message with a new seq and tells everyone who watches. */
  putMessage(kind: 'message' | 'edit' | 'delete', content: Omit<StoredMessage, 'seq'>): StoredMessage {
    const message: StoredMessage = { ...content, seq: this.state.next.seq };
    this.commit({ kind: 'message', message });
    const { chatId, seq } = message;
    this.feed.publish({ kind, chatId, message: toMessageView(this.state, this.bot, message), seq });
    return message;
  }

  /** The number of the newest change. */
  currentSeq(): number {
    return this.state.next.seq - 1;
  }

  contactOf(personId: number): Contact {
    return this.state.contacts.get(personId) ?? { personId, started: false, blocked: false };
  }

  close(): void {
    this.#journal.close();
  }
}

/** The messages of a chat, oldest first. */
export function listMessages(state: State, chatId: number): StoredMessage[] {
  return [...(state.chats.get(chatId)?.values() ?? [])];
}

/** The log is written anew at each start, so that it holds what is and not all that was. */
function loadJournal(state: State, dataDir: string | undefined): { journal: Journal; isNew: boolean } {
  if (dataDir === undefined) return { journal: createVolatileJournal(), isNew: true };
  const events = readJournal(dataDir);
  for (const event of events) applyEvent(state, event);
  return { journal: rewriteJournal(dataDir, listEvents(state)), isNew: events.length === 0 };
}
