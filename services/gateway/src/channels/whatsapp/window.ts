import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import { findRow } from '@signalbox/store/sql';
import { toUserKey } from './chat-key.ts';

/*
 * A person can receive free messages for 24 hours after writing. Later messages wait, and one template announces them:
 *
 * open → (24 hours) → closed, not announced → (claimed in Redis) → template sent → (the person writes) → open
 *
 * The inbox holds the time of the last message; this process caches newer ones.
 */

/** A minute less than 24 hours, for differences between Meta's clock and the gateway's. */
const OPEN_MS = 24 * 3_600_000 - 60_000;
/** How long a gateway's claim keeps others from sending the template. */
const CLAIM_SECONDS = 60;
/** As long as a message may wait: see MAX_AGE_MS in delivery/send-row.ts. */
const NOTIFIED_SECONDS = 25 * 3_600;
/** Limits the cache; the last messages of other people are read from the inbox. */
const MAX_CACHED = 10_000;

export interface LastMessage {
  readonly atMs: number;
  readonly messageId: string | null;
}

export type MessageWindows = ReturnType<typeof createMessageWindows>;

/** Tracks the 24-hour windows of people. Throws only when Postgres is away. */
export function createMessageWindows(deps: {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly prefix: string;
  readonly bot: string;
  readonly log: Log;
  readonly now?: () => number;
}) {
  const { pool, redis, prefix, bot, log, now = Date.now } = deps;
  const cache = new Map<string, LastMessage>();
  /** Windows that Meta reported as closed, whatever the gateway's clock says. */
  const closed = new Map<string, number>();
  const isFresh = (last: LastMessage | undefined): last is LastMessage =>
    last !== undefined && now() - last.atMs < OPEN_MS;
  const keyOf = (number: string, last: LastMessage | null): string =>
    `${prefix}whatsapp:told:${number}:${last?.atMs ?? 0}`;

  const noteMessage = (number: string, last: LastMessage): void => {
    const known = cache.get(number);
    if (known && known.atMs > last.atMs) return;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(number, last);
  };

  const findLastMessage = async (number: string): Promise<LastMessage | null> => {
    const known = cache.get(number);
    if (isFresh(known)) return known;
    const row = await findRow<{ at: string; messageId: string | null }>(pool)`
      select envelope ->> 'at' as at, envelope ->> 'messageId' as "messageId" from inbox
       where user_key = ${toUserKey(number)} and channel = 'whatsapp' and bot = ${bot} order by id desc limit 1`;
    if (row) noteMessage(number, { atMs: Date.parse(row.at), messageId: row.messageId });
    return cache.get(number) ?? null;
  };

  return {
    noteMessage,
    /** The person's last message; null when there is none. */
    findLastMessage,
    async isOpen(number: string): Promise<boolean> {
      const last = await findLastMessage(number);
      return last !== null && isFresh(last) && closed.get(number) !== last.atMs;
    },
    /** Notes that Meta closed the window, until the person writes again. */
    close(number: string): void {
      if (closed.size >= MAX_CACHED) closed.clear();
      const known = cache.get(number);
      if (known) closed.set(number, known.atMs);
    },
    /** Announces waiting messages once per window. `send` returns false when the template was certainly not sent. Needs Redis. */
    async notifyOnce(number: string, send: () => Promise<boolean>): Promise<void> {
      const key = keyOf(number, cache.get(number) ?? null);
      try {
        if ((await redis.set(key, 'claimed', 'EX', CLAIM_SECONDS, 'NX')) !== 'OK') return;
        if (await send()) await redis.set(key, 'told', 'EX', NOTIFIED_SECONDS);
      } catch (error) {
        log.warn('nobody told that something waits', { error });
      }
    },
  };
}
