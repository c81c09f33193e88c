import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';

/** The length of a window in which one person may send `burst` messages. */
const WINDOW_MS = 10_000;

/** Who sent a message, and when, in ISO 8601 as the channel has it. */
export interface SentMessage {
  readonly userKey: string;
  readonly at: string;
}

export interface RateLimit {
  /**
   * Counts one message per entry, at the time when it was sent, and answers, for each in order, whether it is within the limit: what
   * arrives late and all at once, after an outage, was not written in a hurry. One round trip. Redis being down lets everything
   * through: the limit protects against hurry, not against attacks.
   */
  check(messages: readonly SentMessage[]): Promise<readonly boolean[]>;
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
    const pipeline = redis.pipeline();
    for (const [slot, messages] of sent) {
      const key = `${prefix}burst:${slot}`;
      pipeline.incrby(key, messages).pexpire(key, WINDOW_MS * 2);
    }
    const results = (await pipeline.exec()) ?? [];
    // Two answers per person and window: the count, then the expiry.
    return new Map([...sent.keys()].map((slot, place) => [slot, Number(results[place * 2]?.[1] ?? 0)]));
  };

  return {
    window,
    check: async (messages) => {
      // A connection that is down would hold up every batch for the length of a command time-out.
      if (messages.length === 0 || redis.status !== 'ready') return messages.map(() => true);
      const slots = messages.map(({ userKey, at }) => `${userKey}:${Math.floor(Date.parse(at) / WINDOW_MS)}`);
      const sent = new Map<string, number>();
      for (const slot of slots) sent.set(slot, (sent.get(slot) ?? 0) + 1);
      try {
        const totals = await count(sent);
        const seen = new Map<string, number>();
        return slots.map((slot) => {
          const nth = (seen.get(slot) ?? 0) + 1;
          seen.set(slot, nth);
          const before = (totals.get(slot) ?? 0) - (sent.get(slot) ?? 0);
          return before + nth <= burst;
        });
      } catch (error) {
        log.warn('burst limit not checked', { error });
        return messages.map(() => true);
      }
    },
  };
}
