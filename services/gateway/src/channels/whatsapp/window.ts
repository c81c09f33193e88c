import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';
import { toUserKey } from './chat-key.ts';

/*
 * A person may be written to freely for 24 hours after their last message. What we have for them later waits, and they are sent the
 * template, once, so that they know:
 *   open → (24 hours) → closed, nobody told → (claimed in Redis) → template sent → (they write) → open
 * How long ago they wrote is in the inbox. In memory stands what this process has heard itself, which is newer or the same.
 */

/** An hour of Meta's clock and ours apart would be strange; a minute is not. */
const OPEN_MS = 24 * 3_600_000 - 60_000;
/** How long a gateway that is about to send the template keeps others from it. */
const CLAIM_SECONDS = 60;
/** As long as a message waits: see the limit of age in the delivery. */
const TOLD_SECONDS = 25 * 3_600;
/** Chats that are remembered; the others are looked up. */
const MAX_CACHED = 10_000;

/** The last message of a person. */
export interface Heard {
  readonly atMs: number;
  readonly messageId: string | null;
}

export type Windows = ReturnType<typeof createWindows>;

/** Knows who may be written to. Nothing here throws, except that Postgres is away. */
export function createWindows(deps: {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly prefix: string;
  readonly bot: string;
  readonly log: Log;
  readonly now?: () => number;
}) {
  const { pool, redis, prefix, bot, log, now = Date.now } = deps;
  const cache = new Map<string, Heard>();
  /** The last messages whose window Meta has closed, whatever our clock says. */
  const closed = new Map<string, number>();
  const isFresh = (heard: Heard | undefined): heard is Heard => heard !== undefined && now() - heard.atMs < OPEN_MS;
  const keyOf = (number: string, heard: Heard | null): string => `${prefix}whatsapp:told:${number}:${heard?.atMs ?? 0}`;

  const hear = (number: string, heard: Heard): void => {
    const known = cache.get(number);
    if (known && known.atMs > heard.atMs) return;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(number, heard);
  };

  const lastHeard = async (number: string): Promise<Heard | null> => {
    const known = cache.get(number);
    if (isFresh(known)) return known;
    const row = await findRow<{ at: string; messageId: string | null }>(pool)`
      select envelope ->> 'at' as at, envelope ->> 'messageId' as "messageId" from inbox
       where user_key = ${toUserKey(number)} and channel = 'whatsapp' and bot = ${bot} order by id desc limit 1`;
    if (row) hear(number, { atMs: Date.parse(row.at), messageId: row.messageId });
    return cache.get(number) ?? null;
  };

  return {
    /** A person wrote at that time. */
    hear,
    /** What they wrote last; null when they never did. */
    lastHeard,
    async isOpen(number: string): Promise<boolean> {
      const heard = await lastHeard(number);
      return heard !== null && isFresh(heard) && closed.get(number) !== heard.atMs;
    },
    /** Meta says that it is closed, until they write again. */
    close(number: string): void {
      if (closed.size >= MAX_CACHED) closed.clear();
      const known = cache.get(number);
      if (known) closed.set(number, known.atMs);
    },
    /**
     * Has the person told, unless they were since they wrote last. `tell` answers whether they surely or possibly are; otherwise
     * another try tells them. Without Redis nobody is told: twice would be worse.
     */
    async tellOnce(number: string, tell: () => Promise<boolean>): Promise<void> {
      const key = keyOf(number, cache.get(number) ?? null);
      try {
        if ((await redis.set(key, 'claimed', 'EX', CLAIM_SECONDS, 'NX')) !== 'OK') return;
        if (await tell()) await redis.set(key, 'told', 'EX', TOLD_SECONDS);
      } catch (error) {
        log.warn('nobody told that something waits', { error });
      }
    },
  };
}
