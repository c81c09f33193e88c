import type { UserFromGetMe } from 'grammy/types';
import { createDrafts, type Drafts } from './draft.ts';
import type { Contact, StoreEvent, StoredMessage } from './event.ts';
import { type Change, createFeed, type Feed } from './feed.ts';
import { createFileBytes, type FileBytes } from '../files/file-bytes.ts';
import { createVolatileJournal, type Journal, openJournal, rewriteJournal } from './journal.ts';
import { toMessageView } from '../people/message-view.ts';
import { createBotUser, GROUP } from '../people/people.ts';
import { createSettings, type Settings } from './settings.ts';
import { applyEvent, listEvents, State } from './state.ts';
import { createUpdatesQueue, type UpdatesQueue } from '../webhook/updates-queue.ts';

export interface WebhookError {
  /** Unix seconds. */
  readonly date: number;
  readonly message: string;
}

/** Everything that both sides, bot and people, act on. All of it is synchronous, so every action is atomic. */
export interface Store {
  readonly bot: UserFromGetMe;
  readonly state: State;
  readonly updates: UpdatesQueue;
  readonly feed: Feed;
  readonly settings: Settings;
  /** Writes a fact to the log, then makes it true. */
  readonly commit: (event: StoreEvent) => void;
  /** Calls the listener after every fact from now on. */
  readonly onCommit: (listener: (event: StoreEvent) => void) => void;
  /** The last time that the webhook did not take an update; not kept over a restart. */
  webhookError: WebhookError | null;
  /** Stores a message with a new seq and tells everyone who watches. */
  readonly putMessage: (kind: 'message' | 'edit' | 'delete', message: Omit<StoredMessage, 'seq'>) => StoredMessage;
  readonly announce: (change: Change) => number;
  /** Until when (epoch ms) the bot shows as typing, by chat. */
  readonly typingUntil: Map<number, number>;
  /** What is in the files that were sent. */
  readonly fileBytes: FileBytes;
  readonly drafts: Drafts;
  /** The number of the newest change. */
  readonly currentSeq: () => number;
  readonly contactOf: (personId: number) => Contact;
  readonly close: () => void;
}

/** Above this the log is rewritten at start: reading 16 MB takes about half a second. */
const COMPACT_ABOVE_BYTES = 16 * 1024 * 1024;

/** Opens the store of a folder, or an empty one in memory. Throws if the log is damaged before its last line. */
export function openStore(options: { token: string; dataDir?: string | undefined; compactAboveBytes?: number }): Store {
  const bot = createBotUser(options.token);
  const state = new State(Date.now());
  const { journal, isNew } = loadJournal(state, options.dataDir, options.compactAboveBytes ?? COMPACT_ABOVE_BYTES);
  // Numbers given to events that are not in the log (typing) must not come again after a restart.
  state.next.seq = Math.max(state.next.seq, Date.now());
  const feed = createFeed(isNew ? 0 : state.next.seq - 1);
  const typingUntil = new Map<number, number>();
  const listeners: ((event: StoreEvent) => void)[] = [];

  function commit(event: StoreEvent): void {
    journal.append(event);
    applyEvent(state, event);
    for (const listener of listeners) listener(event);
  }
  function announce(change: Change): number {
    const seq = state.next.seq;
    state.next.seq = seq + 1;
    feed.publish({ ...change, seq });
    return seq;
  }
  return {
    bot,
    state,
    feed,
    settings: createSettings(),
    webhookError: null,
    commit,
    onCommit: (listener) => void listeners.push(listener),
    announce,
    typingUntil,
    fileBytes: createFileBytes(options.dataDir),
    drafts: createDrafts(),
    updates: createUpdatesQueue({ state, commit }),
    putMessage: (kind, content) => {
      const message: StoredMessage = { ...content, seq: state.next.seq };
      commit({ kind: 'message', message });
      feed.publish({ kind, chatId: message.chatId, message: toMessageView(state, bot, message), seq: message.seq });
      return message;
    },
    currentSeq: () => state.next.seq - 1,
    contactOf: (personId) => state.contacts.get(personId) ?? { personId, started: false, blocked: false },
    close: () => journal.close(),
  };
}

/** The messages of a chat, oldest first. */
export function listMessages(state: State, chatId: number): StoredMessage[] {
  return [...(state.chats.get(chatId)?.values() ?? [])];
}

/** People write 'ops' for the group; everything else is a number. */
export function resolveChatName(chat: string | number): number {
  if (chat === GROUP.title) return GROUP.id;
  return typeof chat === 'number' ? chat : Number(chat);
}

function loadJournal(
  state: State,
  dataDir: string | undefined,
  compactAboveBytes: number,
): { journal: Journal; isNew: boolean } {
  if (dataDir === undefined) return { journal: createVolatileJournal(), isNew: true };
  const { events, sizeBytes, journal } = openJournal(dataDir);
  // The first line says where the ids started: a restart goes on from there.
  if (events.length === 0) journal.append({ kind: 'counters', ...state.next });
  for (const event of events) applyEvent(state, event);
  const isNew = events.length === 0;
  if (sizeBytes <= compactAboveBytes) return { journal, isNew };
  journal.close();
  return { journal: rewriteJournal(dataDir, listEvents(state)), isNew };
}
