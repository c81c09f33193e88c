import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

const WINDOW_MS = 10_000;

/** The sender of a message or press, and its time in ISO 8601 as the channel gives it. */
type SentMessage = Readonly<Record<'kind' | 'updateId' | 'userKey' | 'at', string>>;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** A fixed-window rate limit per person, counted in Redis across all gateways. */
export function createRateLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly maxPerWindow: number;
  readonly log: Log;
}) {
  const { redis, prefix, maxPerWindow, log } = deps;
  /** The current window and how long it still lasts. */
  const window = (): { id: number; leftMs: number } => {
    const now = Date.now();
    return { id: Math.floor(now / WINDOW_MS), leftMs: WINDOW_MS - (now % WINDOW_MS) };
  };

  return {
    window,
    /**
     * Returns for each message, in order, whether it is within the limit. A message counts once, at the time it was
     * sent, so a backlog after an outage is not refused. Presses have a limit of their own and count at arrival,
     * because channels give them no time. One round trip; without Redis everything passes.
     */
    async check(messages: readonly SentMessage[]): Promise<readonly boolean[]> {
      // A broken connection would delay every batch by a command time-out.
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
        // Three results per message; the second is its rank within its window.
        return messages.map((_, index) => Number(results[index * 3 + 1]?.[1] ?? 0) < maxPerWindow);
      } catch (error) {
        log.warn('burst limit not checked', { error });
        return messages.map(() => true);
      }
    },
  };
}
