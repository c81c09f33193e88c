import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

/** As long as the window in which the gateway counts what one person sends. */
const WINDOW_MS = 10_000;

/** What is counted apart: a program looks for an answer more often than it asks. */
export type Counted = 'events' | 'reads';

/** Requests of one source within the window, counted in Redis so that all gateways count together. */
export function createSourceLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly limits: Readonly<Record<Counted, number>>;
  readonly log: Log;
}) {
  const { redis, prefix, limits, log } = deps;
  return {
    /**
     * Counts one request; null when it is within the limit, else the seconds until the next window. Without Redis everything is:
     * only who has a secret gets here.
     */
    async check(source: string, what: Counted): Promise<number | null> {
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
