import type { Update } from 'grammy/types';
import { BotError } from '../bot-api/bot-error.ts';
import type { StoreEvent, QueuedUpdate } from '../store/event.ts';
import type { State } from '../store/state.ts';

export type UpdateBody = Omit<Update, 'update_id'>;

export interface PollRequest {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Undefined keeps what the last call asked for. */
  readonly allowedUpdates: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export interface UpdatesQueue {
  /** Adds an update; answers its id, or null if the bot did not ask for this kind. */
  readonly add: (body: UpdateBody) => number | null;
  /** Adds a raw object, whatever it is. Only a missing update_id is filled in. Answers the id it carries. */
  readonly inject: (update: Readonly<Record<string, unknown>>) => unknown;
  /** getUpdates. A newer call ends this one with 409; the signal ends it with an empty list. */
  readonly poll: (request: PollRequest) => Promise<readonly unknown[]>;
  /** Forgets one update, by position. Twice is safe. */
  readonly confirm: (position: number) => void;
  /** Which kinds of updates are queued from now on; an empty list means the usual ones. */
  readonly allow: (kinds: readonly string[]) => void;
  /** Ends an open poll with 409, because from now on a webhook gets the updates. */
  readonly endPoll: () => void;
  readonly dropAll: () => void;
}

/** Telegram sends these kinds only to bots that ask for them by name. */
const NOT_BY_DEFAULT = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
/** TDLib takes an offset further ahead than this for a mistake and answers from the head of the queue. */
const MAX_OFFSET_AHEAD = 10;

interface Waiter {
  readonly wake: () => void;
  readonly conflict: (reason: string) => void;
}

const OTHER_POLL = 'terminated by other getUpdates request; make sure that only one bot instance is running';
const WEBHOOK_SET = 'terminated by setWebhook request';
const WEBHOOK_ACTIVE =
  "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/**
 * The queue of updates with Telegram's acknowledgement: an offset forgets all smaller ids, a negative one all but the
 * last ones. Injected updates may carry any id, so they are forgotten only after they were delivered once.
 */
export function createUpdatesQueue(deps: { state: State; commit: (event: StoreEvent) => void }): UpdatesQueue {
  const { state, commit } = deps;
  const delivered = new Set<number>();
  let waiter: Waiter | null = null;

  function enqueue(update: Readonly<Record<string, unknown>>, injected: boolean): void {
    commit({ kind: 'update', item: { position: state.next.position, injected, update: { ...update } } });
    waiter?.wake();
  }

  function confirm(items: readonly QueuedUpdate[]): void {
    if (items.length === 0) return;
    const positions = items.map((item) => item.position);
    commit({ kind: 'confirmed', positions });
    for (const position of positions) delivered.delete(position);
  }

  function confirmOffset(offset: number): void {
    const items = [...state.updates.values()];
    if (offset < 0) return confirm(items.slice(0, Math.max(0, items.length + offset)));
    if (offset === 0) return;
    const believed = offset <= state.next.updateId + MAX_OFFSET_AHEAD;
    confirm(
      items.filter((item) =>
        item.injected ? delivered.has(item.position) && !(idOf(item) >= offset) : believed && idOf(item) < offset,
      ),
    );
  }

  function setAllowed(allowed: readonly string[]): void {
    if (allowed.join() === state.allowedUpdates.join()) return;
    commit({ kind: 'allowedUpdates', allowed: [...allowed] });
  }

  function take(limit: number): unknown[] {
    const items = [...state.updates.values()].slice(0, limit);
    for (const item of items) delivered.add(item.position);
    return items.map((item) => item.update);
  }

  function waitForUpdate(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const own: Waiter = {
        wake: () => finish(resolve),
        conflict: (reason) => finish(() => reject(createConflict(reason))),
      };
      const timer = setTimeout(own.wake, timeoutMs);
      function finish(settle: () => void): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', own.wake);
        if (waiter === own) waiter = null;
        settle();
      }
      signal.addEventListener('abort', own.wake);
      waiter = own;
    });
  }

  return {
    add: (body) => {
      const kind = Object.keys(body)[0] ?? '';
      if (!isAllowed(state.allowedUpdates, kind)) return null;
      const update_id = state.next.updateId;
      enqueue({ update_id, ...body }, false);
      return update_id;
    },
    inject: (update) => {
      const withId = 'update_id' in update ? update : { update_id: state.next.updateId, ...update };
      enqueue(withId, true);
      return withId['update_id'];
    },
    poll: async ({ offset, limit, timeoutMs, allowedUpdates, signal }) => {
      if (state.webhook) throw createConflict(WEBHOOK_ACTIVE);
      waiter?.conflict(OTHER_POLL);
      if (allowedUpdates) setAllowed(allowedUpdates);
      confirmOffset(offset);
      if (state.updates.size === 0 && timeoutMs > 0 && !signal.aborted) await waitForUpdate(timeoutMs, signal);
      return signal.aborted ? [] : take(limit);
    },
    confirm: (position) => confirm([state.updates.get(position)].filter((item) => item !== undefined)),
    endPoll: () => waiter?.conflict(WEBHOOK_SET),
    allow: setAllowed,
    dropAll: () => confirm([...state.updates.values()]),
  };
}

function isAllowed(allowed: readonly string[], kind: string): boolean {
  return allowed.length === 0 ? !NOT_BY_DEFAULT.has(kind) : allowed.includes(kind);
}

/** Not a number (an injected nonsense id) compares as neither smaller nor larger. */
function idOf(item: QueuedUpdate): number {
  const id = item.update['update_id'];
  return typeof id === 'number' ? id : Number.NaN;
}

function createConflict(reason: string): BotError {
  return new BotError(409, `Conflict: ${reason}`);
}
