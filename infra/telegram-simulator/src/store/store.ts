import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserFromGetMe } from 'grammy/types';
import type { Draft } from './draft.ts';
import type { PrivateChat, StoreEvent, StoredMessage } from './event.ts';
import { type FeedChange, Feed } from './feed.ts';
import { createVolatileJournal, type Journal, readJournal, rewriteJournal } from './journal.ts';
import { toMessageView } from './message-view.ts';
import { createBotUser } from './people.ts';
import { createSettings } from './settings.ts';
import { applyEvent, listEvents, SimulatorState } from './state.ts';
import { UpdatesQueue } from './updates-queue.ts';

/** Storage of file contents by internal name. */
interface FileBytes {
  /** Writes synchronously. */
  readonly put: (name: string, bytes: Buffer) => void;
  /** Returns null when the contents are no longer stored. */
  readonly get: (name: string) => Buffer | null;
}

/** Memory limit, beyond which the oldest files are removed. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

export interface WebhookError {
  /** In Unix seconds. */
  readonly date: number;
  readonly message: string;
}

interface StoreOptions {
  readonly token: string;
  readonly dataDir?: string | undefined;
}

/** Data and synchronous, atomic actions of bot and people; in a folder or in memory. Throws when the log is corrupt. */
export class Store {
  readonly bot: UserFromGetMe;
  readonly state = new SimulatorState(Date.now());
  readonly updates: UpdatesQueue;
  readonly feed: Feed;
  readonly settings = createSettings();
  /** Last webhook failure; lost on restart. */
  webhookError: WebhookError | null = null;
  readonly fileBytes: FileBytes;
  /** Shown drafts by chat, and the last stopped draft of each chat, whose later versions are ignored. */
  readonly drafts = { shown: new Map<number, Draft>(), stopped: new Map<number, number>() };
  readonly #journal: Journal;
  readonly #listeners: ((event: StoreEvent) => void)[] = [];

  constructor({ token, dataDir }: StoreOptions) {
    const { state } = this;
    this.bot = createBotUser(token);
    const { journal, isNew } = loadJournal(state, dataDir);
    this.#journal = journal;
    // Unlogged events such as typing used numbers too, which must not repeat after a restart.
    state.next.seq = Math.max(state.next.seq, Date.now());
    this.feed = new Feed(isNew ? 0 : state.next.seq - 1);
    this.fileBytes = createFileBytes(dataDir);
    this.updates = new UpdatesQueue(state, (event) => this.commit(event));
  }

  /** Appends an event to the log, then applies it. */
  commit(event: StoreEvent): void {
    this.#journal.append(event);
    applyEvent(this.state, event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls the listener after each new event. */
  onCommit(listener: (event: StoreEvent) => void): void {
    this.#listeners.push(listener);
  }

  announce(change: FeedChange): void {
    this.feed.publish({ ...change, seq: this.state.next.seq++ });
  }

  /** Stores a message with a new `seq` and publishes it. */
  putMessage(kind: 'message' | 'edit' | 'delete', content: Omit<StoredMessage, 'seq'>): StoredMessage {
    const message: StoredMessage = { ...content, seq: this.state.next.seq };
    this.commit({ kind: 'message', message });
    const { chatId, seq } = message;
    this.feed.publish({ kind, chatId, message: toMessageView(this.state, this.bot, message), seq });
    return message;
  }

  /** Returns the number of the newest change. */
  currentSeq(): number {
    return this.state.next.seq - 1;
  }

  contactOf(personId: number): PrivateChat {
    return this.state.contacts.get(personId) ?? { personId, started: false, blocked: false };
  }

  close(): void {
    this.#journal.close();
  }
}

/** Returns the messages of a chat, oldest first. */
export function listMessages(state: SimulatorState, chatId: number): StoredMessage[] {
  return [...(state.chats.get(chatId)?.values() ?? [])];
}

/** Compacts the log at each start. */
function loadJournal(state: SimulatorState, dataDir: string | undefined): { journal: Journal; isNew: boolean } {
  if (dataDir === undefined) return { journal: createVolatileJournal(), isNew: true };
  const events = readJournal(dataDir);
  for (const event of events) applyEvent(state, event);
  return { journal: rewriteJournal(dataDir, listEvents(state)), isNew: events.length === 0 };
}

/** Stores files in `files/` of the folder, or in memory without one. */
function createFileBytes(dataDir: string | undefined): FileBytes {
  if (dataDir === undefined) return createMemory();
  const folder = join(dataDir, 'files');
  return {
    put: (name, bytes) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700); // the folder of an earlier release may have another mode
      writeFileSync(join(folder, name), bytes, { mode: 0o600 });
    },
    get: (name) => {
      try {
        return readFileSync(join(folder, name));
      } catch (error) {
        // A deleted file counts as expired.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

function createMemory(): FileBytes {
  const files = new Map<string, Buffer>();
  let sizeBytes = 0;
  return {
    put: (name, bytes) => {
      files.set(name, bytes);
      sizeBytes += bytes.length;
      for (const [oldest, old] of files) {
        if (sizeBytes <= MAX_MEMORY_BYTES) return;
        files.delete(oldest);
        sizeBytes -= old.length;
      }
    },
    get: (name) => files.get(name) ?? null,
  };
}
