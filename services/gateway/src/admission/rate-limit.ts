import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

/** The length of a window in which one person may send `burst` messages. */
const WINDOW_MS = 10_000;

/** Who sent a message or pressed a button, and when, in ISO 8601 as the channel has it. */
type SentMessage = Readonly<Record<'kind' | 'updateId' | 'userKey' | 'at', string>>;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** Fixed windows, counted in Redis so that all gateways count together. */
export function createRateLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly burst: number;
  readonly log: Log;
}) {
  const { redis, prefix, burst, log } = deps;
  /** Names the present window, and how long it still lasts. */
  const window = (): { id: number; leftMs: number } => {
    const now = Date.now();
    return { id: Math.floor(now / WINDOW_MS), leftMs: WINDOW_MS - (now % WINDOW_MS) };
  };

  return {
    window,
    /**
     * Counts each message once, however often the channel gives it, at the time when it was sent, and answers for each in order whether it
     * is within the limit: what arrives late and all at once, after an outage, was not written in a hurry. Presses of buttons have a limit
     * of their own: channels give them no time, so those of an outage count as if they came now, and take no message's place.
     * One round trip. Redis being down lets everything through: the limit protects against hurry, not against attacks.
     */
    async check(messages: readonly SentMessage[]): Promise<readonly boolean[]> {
      // A connection that is down would hold up every batch for the length of a command time-out.
      if (messages.length === 0 || redis.status !== 'ready') return messages.map(() => true);
      const pipeline = redis.pipeline();
      for (const { kind, updateId, userKey, at } of messages) {
        const sentMs = Date.parse(at);
        const key = `${prefix}burst:${kind === 'press' ? 'press:' : ''}${userKey}:${Math.floor(sentMs / WINDOW_MS)}`;
        pipeline
          .zadd(key, 'NX', sentMs, updateId)
          .zrank(key, updateId)
          .pexpire(key, WINDOW_MS * 2);
      }
      try {
        const results = (await pipeline.exec()) ?? [];
        // Three answers per message; the second is its place among those of its window.
        return messages.map((_, place) => Number(results[place * 3 + 1]?.[1] ?? 0) < burst);
      } catch (error) {
        log.warn('burst limit not checked', { error });
        return messages.map(() => true);
      }
    },
  };
}
