import { stripTopic } from '../channels/chat-key.ts';
import type { ThrottleOptions } from '../channels/channel.ts';
import type { ChatKind } from '@signalbox/contracts/conversation/envelope';
import { sleep } from '@signalbox/contracts/time';

export type Throttle = ReturnType<typeof createThrottle>;

/** Number of chats above which full token buckets are dropped, to limit memory. */
const MAX_BUCKETS = 10_000;

/**
 * First signs of answers per second and send: channels limit typing and drafts by chat, and have published no limit in total. A crowd's
 * first signs must neither wait behind its messages nor take their sends.
 */
const SIGNS_PER_SEND = 4;

/** Urgent sends in a row while others wait too: a crowd of commands slows answers down and does not stop them. */
const MAX_URGENT_IN_A_ROW = 3;

/** A chat that waits for a send. */
interface Waiter {
  readonly bucket: Bucket;
  /** Read at each grant: a chat that waits may become urgent. */
  readonly isUrgent: () => boolean;
  isGranted: boolean;
}

export interface TakeOptions {
  readonly isUrgent: () => boolean;
  /** The longest wait for the chat's own rate; the wait for all chats together is not limited. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Limits sends in total and per chat (with its topics), so that the channel refuses none. Uses token buckets in this process. Chats that wait
 * are served in the order in which they began to wait, urgent ones first.
 */
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
  const take = (own: Bucket): boolean => {
    if (own.waitMs() > 0 || all.waitMs() > 0) return false;
    own.add(-1);
    all.add(-1);
    return true;
  };
  const queue = createSendQueue(all, take);

  return {
    /** Takes a send at once if that is possible. Only an urgent one takes what others wait for. */
    tryTake(chatKey: string, kind: ChatKind, isUrgent = false): boolean {
      return (isUrgent || all.level >= queue.length() + 1) && take(bucketOf(chatKey, kind));
    },
    /** Waits for a send and takes it. Returns null, or the milliseconds that the chat must wait when that is too long; 0 when aborted. */
    waitAndTake: (chatKey: string, kind: ChatKind, take: TakeOptions) => queue.wait(bucketOf(chatKey, kind), take),
    /** Returns the milliseconds until a chat's own rate allows a send. */
    waitMs: (chatKey: string, kind: ChatKind) => bucketOf(chatKey, kind).waitMs(),
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

/** The chats that wait for a send. All of them wake when one is free, and the first of them to wake grants it. */
function createSendQueue(all: Bucket, take: (own: Bucket) => boolean) {
  const waiters = new Set<Waiter>();
  let urgentInARow = 0;
  const findNext = (): Waiter | undefined => {
    const ready = [...waiters].filter(({ bucket }) => bucket.waitMs() === 0);
    const urgent = ready.find(({ isUrgent }) => isUrgent());
    if (urgent && urgentInARow < MAX_URGENT_IN_A_ROW) return urgent;
    return ready.find(({ isUrgent }) => !isUrgent()) ?? urgent;
  };
  const grant = (): void => {
    while (all.waitMs() === 0) {
      const next = findNext();
      if (!next || !take(next.bucket)) return;
      urgentInARow = next.isUrgent() ? urgentInARow + 1 : 0;
      next.isGranted = true;
      waiters.delete(next);
    }
  };
  return {
    length: (): number => waiters.size,
    async wait(bucket: Bucket, { isUrgent, maxWaitMs, signal }: TakeOptions): Promise<number | null> {
      const waiter: Waiter = { bucket, isUrgent, isGranted: false };
      waiters.add(waiter);
      try {
        for (;;) {
          grant();
          if (waiter.isGranted) return null;
          if (signal.aborted) return 0;
          const ownMs = bucket.waitMs();
          if (ownMs > maxWaitMs) return ownMs;
          await sleep(Math.max(1, ownMs, all.waitMs()), signal);
        }
      } finally {
        waiters.delete(waiter);
      }
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
