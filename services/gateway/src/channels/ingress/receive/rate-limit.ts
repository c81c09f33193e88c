import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

/** The same window as the gateway's rate limit per person. */
const WINDOW_MS = 10_000;

/** Programs poll more often than they send, so each kind has a counter of its own. */
export type RateLimitedRequest = 'events' | 'reads' | 'alarms';

/** Limits requests per source in fixed windows, counted in Redis across all gateways. */
export function createSourceLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly limits: Readonly<Record<RateLimitedRequest, number>>;
  readonly log: Log;
}) {
  const { redis, prefix, limits, log } = deps;
  return {
    /** Counts a request. Null within the limit, else seconds until the next window. Without Redis all pass: callers have a secret. */
    async check(source: string, what: RateLimitedRequest): Promise<number | null> {
      if (redis.status !== 'ready') return null;
      const now = Date.now();
      const key = `${prefix}ingress:${what}:${source}:${Math.floor(now / WINDOW_MS)}`;
      try {
        const count = await redis.incr(key);
        if (count === 1) await redis.pexpire(key, WINDOW_MS * 2);
        return count <= limits[what] ? null : Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1_000);
      } catch (error) {
        log.warn('ingress limit not checked', { error });
        return null;
      }
    },
  };
}
