import type { Update } from 'grammy/types';
import { BotError } from '../bot-error.ts';
import type { StoreEvent, QueuedUpdate } from './event.ts';
import type { SimulatorState } from './state.ts';

export type UpdateBody = Omit<Update, 'update_id'>;

export interface PollRequest {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Undefined keeps the kinds of the previous call. */
  readonly allowedUpdates: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Update kinds that Telegram sends only on explicit request. */
const NOT_BY_DEFAULT = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
/** TDLib ignores an offset that is further ahead. */
const MAX_OFFSET_AHEAD = 10;

interface Waiter {
  readonly wake: () => void;
  readonly conflict: (reason: string) => void;
}

const OTHER_POLL = 'terminated by other getUpdates request; make sure that only one bot instance is running';
const WEBHOOK_SET = 'terminated by setWebhook request';
const WEBHOOK_ACTIVE =
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** Update queue with Telegram's confirmation by offset. Injected updates are confirmed only after one delivery. */
export class UpdatesQueue {
  readonly #state: SimulatorState;
  readonly #commit: (event: StoreEvent) => void;
  readonly #delivered = new Set<number>();
  #waiter: Waiter | null = null;

  constructor(state: SimulatorState, commit: (event: StoreEvent) => void) {
    this.#state = state;
    this.#commit = commit;
  }

  /** Adds an update; returns its id, or null when the bot does not want its kind. */
  add(body: UpdateBody): number | null {
    const { allowedUpdates, next } = this.#state;
    if (!isAllowed(allowedUpdates, Object.keys(body)[0] ?? '')) return null;
    const update_id = next.updateId;
    this.#enqueue({ update_id, ...body }, false);
    return update_id;
  }

  /** Adds any object as an update; fills in a missing update_id, which is returned. */
  inject(update: Readonly<Record<string, unknown>>): unknown {
    const withId = { update_id: this.#state.next.updateId, ...update };
    this.#enqueue(withId, true);
    return withId.update_id;
  }

  /** getUpdates: a newer call ends this one with 409, the signal with an empty list. */
  async poll({ offset, limit, timeoutMs, allowedUpdates, signal }: PollRequest): Promise<readonly unknown[]> {
    if (this.#state.webhook) throw createConflict(WEBHOOK_ACTIVE);
    this.#waiter?.conflict(OTHER_POLL);
    if (allowedUpdates) this.allow(allowedUpdates);
    this.#confirmOffset(offset);
    if (this.#state.updates.size === 0 && timeoutMs > 0 && !signal.aborted) await this.#wait(timeoutMs, signal);
    if (signal.aborted) return [];
    const items = this.#items().slice(0, limit);
    for (const item of items) this.#delivered.add(item.position);
    return items.map((item) => item.update);
  }

  /** Removes one update by position. Idempotent. */
  confirm(position: number): void {
    if (this.#state.updates.has(position)) this.#forget([position]);
  }

  /** Sets the wanted kinds of updates; an empty list restores the default. */
  allow(allowed: readonly string[]): void {
    if (allowed.join() === this.#state.allowedUpdates.join()) return;
    this.#commit({ kind: 'allowedUpdates', allowed: [...allowed] });
  }

  /** Ends an open poll with 409, because a webhook was set. */
  endPoll(): void {
    this.#waiter?.conflict(WEBHOOK_SET);
  }

  dropAll(): void {
    this.#forget([...this.#state.updates.keys()]);
  }

  #items(): QueuedUpdate[] {
    return [...this.#state.updates.values()];
  }

  #enqueue(update: Readonly<Record<string, unknown>>, injected: boolean): void {
    this.#commit({ kind: 'update', item: { position: this.#state.next.position, injected, update: { ...update } } });
    this.#waiter?.wake();
  }

  #forget(positions: number[]): void {
    if (positions.length === 0) return;
    this.#commit({ kind: 'confirmed', positions });
    for (const position of positions) this.#delivered.delete(position);
  }

  #confirmOffset(offset: number): void {
    const items = this.#items();
    const isBelieved = offset <= this.#state.next.updateId + MAX_OFFSET_AHEAD;
    const isOver = (item: QueuedUpdate, index: number): boolean => {
      if (offset < 0) return index < items.length + offset;
      if (item.injected) return this.#delivered.has(item.position) && !(idOf(item) >= offset);
      return isBelieved && idOf(item) < offset;
    };
    if (offset !== 0) this.#forget(items.filter(isOver).map(({ position }) => position));
  }

  #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const own: Waiter = {
        wake: () => finish(resolve),
        conflict: (reason) => finish(() => reject(createConflict(reason))),
      };
      const timer = setTimeout(own.wake, timeoutMs);
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', own.wake);
        if (this.#waiter === own) this.#waiter = null;
        settle();
      };
      signal.addEventListener('abort', own.wake);
      this.#waiter = own;
    });
  }
}

function isAllowed(allowed: readonly string[], kind: string): boolean {
  return allowed.length === 0 ? !NOT_BY_DEFAULT.has(kind) : allowed.includes(kind);
}

/** NaN for an injected id that is no number, which compares as neither smaller nor larger. */
function idOf(item: QueuedUpdate): number {
  const id = item.update['update_id'];
  return typeof id === 'number' ? id : Number.NaN;
}

function createConflict(reason: string): BotError {
  return new BotError(409, `Conflict: ${reason}`);
}
