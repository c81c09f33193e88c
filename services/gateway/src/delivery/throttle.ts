import { chatOf } from '../channels/chat-key.ts';
import type { ChatKind } from '@signalbox/contracts/conversation/envelope';

export interface ThrottleOptions {
  readonly sendsPerSecond: number;
  readonly chatSendsPerSecond: number;
  readonly chatBurst: number;
  readonly groupSendsPerMinute: number;
}

/**
 * How fast we send, over all chats and in each of them, so that the channel has no reason to refuse. Times in milliseconds.
 * The topics of a chat share its pace.
 */
export interface Throttle {
  /** Takes one send for this chat, if it may go out now. */
  tryTake(chatKey: string, kind: ChatKind): boolean;
  /** How long until `tryTake` has a chance. */
  waitMs(chatKey: string, kind: ChatKind): number;
  /** Gives back what was not used: `chat` when the send was an edit, `all` when nothing was sent. */
  giveBack(chatKey: string, kind: ChatKind, what: 'chat' | 'all'): void;
  /** The channel asked us to leave this chat alone for so long. */
  pause(chatKey: string, kind: ChatKind, pauseMs: number): void;
  /** Takes a send for something unimportant; false when sends are short. */
  tryTakeSpare(): boolean;
}

/** Full buckets are forgotten beyond this many chats, so memory stays bounded. */
const MAX_BUCKETS = 10_000;

/** Token buckets in this process: `now` is a monotonic clock. */
export function createThrottle(options: ThrottleOptions, now: () => number = () => performance.now()): Throttle {
  const all = createBucket(options.sendsPerSecond / 1_000, Math.max(1, options.sendsPerSecond), now);
  const chats = new Map<string, Bucket>();

  const bucketOf = (chatKey: string, kind: ChatKind): Bucket => {
    const key = chatOf(chatKey);
    const known = chats.get(key);
    if (known) return known;
    if (chats.size >= MAX_BUCKETS) forgetFull(chats);
    const bucket =
      kind === 'group'
        ? createBucket(options.groupSendsPerMinute / 60_000, options.groupSendsPerMinute, now)
        : createBucket(options.chatSendsPerSecond / 1_000, options.chatBurst, now);
    chats.set(key, bucket);
    return bucket;
  };

  return {
    tryTake: (chatKey, kind) => {
      const own = bucketOf(chatKey, kind);
      if (own.waitMs() > 0 || all.waitMs() > 0) return false;
      own.add(-1);
      all.add(-1);
      return true;
    },
    waitMs: (chatKey, kind) => Math.max(bucketOf(chatKey, kind).waitMs(), all.waitMs()),
    giveBack: (chatKey, kind, what) => {
      bucketOf(chatKey, kind).add(1);
      if (what === 'all') all.add(1);
    },
    pause: (chatKey, kind, pauseMs) => bucketOf(chatKey, kind).pause(pauseMs),
    tryTakeSpare: () => {
      if (all.level() < options.sendsPerSecond / 2) return false;
      all.add(-1);
      return true;
    },
  };
}

interface Bucket {
  waitMs(): number;
  add(tokens: number): void;
  /** Empties it so that nothing can be taken for so long. */
  pause(pauseMs: number): void;
  level(): number;
  isFull(): boolean;
}

function createBucket(perMs: number, size: number, now: () => number): Bucket {
  let tokens = size;
  let at = now();
  const refill = (): void => {
    const time = now();
    tokens = Math.min(size, tokens + (time - at) * perMs);
    at = time;
  };
  return {
    waitMs: () => {
      refill();
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs);
    },
    add: (count) => {
      refill();
      tokens = Math.min(size, tokens + count);
    },
    pause: (pauseMs) => {
      refill();
      tokens = Math.min(tokens, 1 - pauseMs * perMs);
    },
    level: () => {
      refill();
      return tokens;
    },
    isFull: () => {
      refill();
      return tokens >= size;
    },
  };
}

function forgetFull(chats: Map<string, Bucket>): void {
  for (const [key, bucket] of chats) if (bucket.isFull()) chats.delete(key);
}
