import { stripTopic } from '../channels/chat-key.ts';
import type { ThrottleOptions } from '../channels/channel.ts';
import type { ChatKind } from '@signalbox/contracts/conversation/envelope';

export type Throttle = ReturnType<typeof createThrottle>;

/** Number of chats above which full token buckets are dropped, to limit memory. */
const MAX_BUCKETS = 10_000;

/**
 * First signs of answers per second and send: channels limit typing and drafts by chat, and have published no limit in total. A crowd's
 * first signs must neither wait behind its messages nor take their sends.
 */
const SIGNS_PER_SEND = 4;

/** Limits sends in total and per chat (with its topics), so that the channel refuses none. Uses token buckets in this process. */
export function createThrottle(options: ThrottleOptions, now: () => number = () => performance.now()) {
  const all = new Bucket(options.sendsPerSecond / 1_000, Math.max(1, options.sendsPerSecond), now);
  const signsPerSecond = SIGNS_PER_SEND * options.sendsPerSecond;
  const signs = new Bucket(signsPerSecond / 1_000, Math.max(1, signsPerSecond), now);
  const chats = new Map<string, Bucket>();

  const bucketOf = (chatKey: string, kind: ChatKind): Bucket => {
    const key = stripTopic(chatKey);
    const known = chats.get(key);
    if (known) return known;
    if (chats.size >= MAX_BUCKETS) for (const [other, { isFull }] of chats) if (isFull) chats.delete(other);
    const bucket =
      kind === 'group'
        ? new Bucket(options.groupSendsPerMinute / 60_000, options.groupSendsPerMinute, now)
        : new Bucket(options.chatSendsPerSecond / 1_000, options.chatBurst, now);
    chats.set(key, bucket);
    return bucket;
  };

  return {
    tryTake(chatKey: string, kind: ChatKind): boolean {
      const own = bucketOf(chatKey, kind);
      if (own.waitMs() > 0 || all.waitMs() > 0) return false;
      own.add(-1);
      all.add(-1);
      return true;
    },
    /** Returns the milliseconds until `tryTake` may succeed. */
    waitMs: (chatKey: string, kind: ChatKind) => Math.max(bucketOf(chatKey, kind).waitMs(), all.waitMs()),
    /** Gives back an unused send: `chat` after an edit, `all` when nothing was sent. */
    giveBack(chatKey: string, kind: ChatKind, what: 'chat' | 'all'): void {
      bucketOf(chatKey, kind).add(1);
      if (what === 'all') all.add(1);
    },
    pause: (chatKey: string, kind: ChatKind, pauseMs: number) => bucketOf(chatKey, kind).pause(pauseMs),
    /** Takes a call for the first sign of an answer: typing, or a turn's first draft. It counts towards no send. */
    tryTakeSign(): boolean {
      if (signs.waitMs() > 0) return false;
      signs.add(-1);
      return true;
    },
    /** Takes a send for an unimportant message; false when less than half of the sends are left. */
    tryTakeSpare(): boolean {
      if (all.level < options.sendsPerSecond / 2) return false;
      all.add(-1);
      return true;
    },
  };
}

class Bucket {
  readonly #perMs: number;
  readonly #size: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(perMs: number, size: number, now: () => number) {
    this.#perMs = perMs;
    this.#size = size;
    this.#now = now;
    this.#tokens = size;
    this.#at = now();
  }

  get level(): number {
    const now = this.#now();
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
    return this.#tokens;
  }

  get isFull(): boolean {
    return this.level >= this.#size;
  }

  waitMs(): number {
    return this.level >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  add(count: number): void {
    this.#tokens = Math.min(this.#size, this.level + count);
  }

  pause(pauseMs: number): void {
    this.#tokens = Math.min(this.level, 1 - pauseMs * this.#perMs);
  }
}
