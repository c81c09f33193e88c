import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

const WINDOW_MS = 10_000;

/** The sender of a message or press, and its ISO 8601 time at the channel. */
type SentMessage = Readonly<Record<'kind' | 'updateId' | 'userKey' | 'at', string>>;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** Limits messages per person in fixed windows, counted in Redis across all gateways. */
export function createRateLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly maxPerWindow: number;
  readonly log: Log;
}) {
  const { redis, prefix, maxPerWindow, log } = deps;
  /** The number of the current window and the time until it ends. */
  const window = (): { id: number; leftMs: number } => {
    const now = Date.now();
    return { id: Math.floor(now / WINDOW_MS), leftMs: WINDOW_MS - (now % WINDOW_MS) };
  };

  return {
    window,
    /**
     * True for each message within the limit, in order. A message counts in the window it was sent in, so a backlog is not refused.
     * Presses are counted apart, at arrival. One round trip; without Redis everything passes.
     */
    async check(messages: readonly SentMessage[]): Promise<readonly boolean[]> {
      // A broken connection would delay every batch by a command timeout.
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
        // The pipeline gives three results per message; the second is its rank within its window.
        return messages.map((_, index) => Number(results[index * 3 + 1]?.[1] ?? 0) < maxPerWindow);
      } catch (error) {
        log.warn('burst limit not checked', { error });
        return messages.map(() => true);
      }
    },
  };
}
