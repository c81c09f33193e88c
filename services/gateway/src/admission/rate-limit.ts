import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

/** The length of a window in which one person may send `burst` messages. */
const WINDOW_MS = 10_000;

export interface RateLimit {
  /**
   * Counts one message per entry and answers, for each in order, whether it is within the limit. One round trip.
   * Redis being down lets everything through: the limit protects against hurry, not against attacks.
   */
  check(userKeys: readonly string[]): Promise<readonly boolean[]>;
  /** Names the present window, and how long it still lasts. */
  window(): { readonly id: number; readonly leftMs: number };
}

/** Fixed windows, counted in Redis so that all gateways count together. */
export function createRateLimit(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly burst: number;
  readonly log: Log;
}): RateLimit {
  const { redis, prefix, burst, log } = deps;
  const window = (): { id: number; leftMs: number } => {
    const now = Date.now();
    return { id: Math.floor(now / WINDOW_MS), leftMs: WINDOW_MS - (now % WINDOW_MS) };
  };

  const count = async (sent: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> => {
    const { id } = window();
    const pipeline = redis.pipeline();
    for (const [userKey, messages] of sent) {
      const key = `${prefix}burst:${userKey}:${id}`;
      pipeline.incrby(key, messages).pexpire(key, WINDOW_MS * 2);
    }
    const results = (await pipeline.exec()) ?? [];
    // Two answers per person: the count, then the expiry.
    return new Map([...sent.keys()].map((userKey, place) => [userKey, Number(results[place * 2]?.[1] ?? 0)]));
  };

  return {
    window,
    check: async (userKeys) => {
      // A connection that is down would hold up every batch for the length of a command time-out.
      if (userKeys.length === 0 || redis.status !== 'ready') return userKeys.map(() => true);
      const sent = new Map<string, number>();
      for (const userKey of userKeys) sent.set(userKey, (sent.get(userKey) ?? 0) + 1);
      try {
        const totals = await count(sent);
        const seen = new Map<string, number>();
        return userKeys.map((userKey) => {
          const nth = (seen.get(userKey) ?? 0) + 1;
          seen.set(userKey, nth);
          const before = (totals.get(userKey) ?? 0) - (sent.get(userKey) ?? 0);
          return before + nth <= burst;
        });
      } catch (error) {
        log.warn('burst limit not checked', { error });
        return userKeys.map(() => true);
      }
    },
  };
}
