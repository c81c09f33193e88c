import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { LoggedCall, MessageView, SimulatorEvent } from './event.ts';

export interface Person {
  /** Phone number, digits only. */
  readonly id: string;
  readonly name: string;
}

export interface Media {
  readonly id: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly name: string | null;
}

export interface Settings {
  /** Refuses undeliverable messages in the response, or in a later status as Meta usually does. */
  refuseBy: 'answer' | 'status';
  /** True when only known people are valid recipients, as for a test number. */
  testNumber: boolean;
  /** True when webhooks report sent and delivered messages. */
  statuses: boolean;
  /** Approved templates as `name/language`; `*` for any. */
  templates: readonly string[];
  /** First retry delay of a webhook in milliseconds; doubles each time. */
  retryMs: number;
}

type NewEvent = SimulatorEvent extends infer One ? (One extends SimulatorEvent ? Omit<One, 'seq'> : never) : never;

/** Fictional phone numbers (North American 555-01xx). */
const PEOPLE: readonly Person[] = [
  { id: '12025550101', name: 'Ada' },
  { id: '12025550102', name: 'Ben' },
  { id: '12025550103', name: 'Cleo' },
];
const WINDOW_MS = 24 * 3_600_000;
const KEPT = 20_000;

/** In-memory data of bot and people. All actions are synchronous and therefore atomic. */
export class Store {
  readonly people = new Map(PEOPLE.map((person) => [person.id, person]));
  readonly blocked = new Set<string>();
  readonly media = new Map<string, Media>();
  readonly settings: Settings = {
    refuseBy: 'answer',
    testNumber: false,
    statuses: true,
    templates: ['*'],
    retryMs: 100,
  };
  readonly calls: LoggedCall[] = [];
  readonly #messages = new Map<string, MessageView>();
  readonly #lastWritten = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #events: SimulatorEvent[] = [];
  #seq = 0;
  #offsetMs = 0;

  /** Returns epoch milliseconds of a clock that tests can move. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  advance(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** True within 24 hours of the person's last message, when the bot may write freely. */
  isWindowOpen(person: string): boolean {
    const last = this.#lastWritten.get(person);
    return last !== undefined && this.now() - last < WINDOW_MS;
  }

  putMessage(message: Omit<MessageView, 'id' | 'at'>): MessageView {
    const stored = { ...message, id: `wamid.${randomBytes(24).toString('base64')}`, at: this.now() };
    this.#messages.set(stored.id, stored);
    if (!stored.fromBot) this.#lastWritten.set(stored.person, stored.at);
    this.publish({ kind: 'message', person: stored.person, message: stored });
    return stored;
  }

  setStatus(id: string, status: MessageView['status']): void {
    const known = this.#messages.get(id);
    if (!known) return;
    const message = { ...known, status };
    this.#messages.set(id, message);
    this.publish({ kind: 'status', person: message.person, message });
  }

  findMessage(id: string): MessageView | undefined {
    return this.#messages.get(id);
  }

  /** Returns the messages that the person sees, oldest first. */
  messagesOf(person: string): readonly MessageView[] {
    return [...this.#messages.values()].filter((message) => message.person === person && message.status !== 'failed');
  }

  putMedia(file: { readonly mimeType: string; readonly bytes: Buffer; readonly name: string | null }): Media {
    const id = `1${randomInt(1e13, 9e13)}`;
    const media = { id, ...file, sha256: createHash('sha256').update(file.bytes).digest('base64') };
    this.media.set(id, media);
    return media;
  }

  log(call: Omit<LoggedCall, 'seq'>): void {
    this.calls.push({ ...call, seq: this.calls.length + 1 });
  }

  publish(event: NewEvent): void {
    this.#events.push({ ...event, seq: (this.#seq += 1) });
    if (this.#events.length > KEPT * 1.5) this.#events = this.#events.slice(-KEPT);
    for (const wake of this.#listeners) wake();
  }

  /** Returns the events after a number; waits for one until the signal aborts. */
  async eventsAfter(seq: number, signal: AbortSignal): Promise<readonly SimulatorEvent[]> {
    for (;;) {
      const found = this.#events.filter((event) => event.seq > seq);
      if (found.length > 0 || signal.aborted) return found;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#listeners.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#listeners.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }
}
