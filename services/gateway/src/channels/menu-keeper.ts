import { tryHold } from './leases.ts';
import { putSetting } from '@signalbox/store/settings';
import type { Pool } from '@signalbox/store/pool';
import { listUsers } from '@signalbox/store/people/users';
import { findValue, sql } from '@signalbox/store/sql';
import type { Log } from '@signalbox/platform/log';
import { backoffMs, HOUR_MS, sleep } from '@signalbox/contracts/time';
import type { Channel } from './channel.ts';

/*
 * started ─▶ everything is compared once, by one gateway at a time ─▶ kept ─▶ an admin comes or goes ─▶ theirs is compared ─▶ kept
 *                      └─ Telegram or Postgres away ─▶ tried again, ever more slowly: typing commands works all the same
 */

const RETRY_BASE_MS = 2_000;
const RETRY_MAX_MS = 10 * 60_000;
/** How soon a gateway looks again whether another one is done. */
const BUSY_MS = 1_000;
/** How soon the menus of admins are compared again although no role changed. */
const COMPARE_EVERY_MS = 24 * HOUR_MS;

/** Keeps what clients offer after "/" as it should be. */
export function startMenuKeeper(deps: {
  readonly pool: Pool;
  readonly channel: Channel & Required<Pick<Channel, 'offerCommands'>>;
  readonly log: Log;
}) {
  const { pool, channel, log } = deps;
  const stop = new AbortController();
  const place = `${channel.name}:${channel.bot}`;
  const remembered = `menu_admins:${place}`;
  let everybody = true;
  let change = new AbortController();

  /** False when another gateway is at it. */
  const keep = async (): Promise<boolean> => {
    const { hold } = await tryHold(pool, `menu:${place}`, 'exclusive');
    if (!hold) return false;
    try {
      const users = await listUsers(pool);
      const admins = users
        .filter((user) => user.role === 'admin' && user.channel === channel.name)
        .map((user) => user.userKey);
      // Whom clients offered the commands of admins last: from those who are none any more they are taken.
      const before = await findValue<readonly string[]>(pool, [])`select value from settings where key = ${remembered}`;
      await channel.offerCommands(
        { everybody, admins, former: before.filter((one) => !admins.includes(one)) },
        stop.signal,
      );
      await putSetting(pool, remembered, sql`${JSON.stringify(admins)}::jsonb`);
      everybody = false;
      return true;
    } finally {
      hold.release();
    }
  };

  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!stop.signal.aborted) {
      // Who comes or goes from here on is the next round's.
      change = new AbortController();
      let waitMs = COMPARE_EVERY_MS;
      try {
        if (!(await keep())) waitMs = BUSY_MS;
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        log[failures === 0 ? 'warn' : 'debug']('menu not registered, tried again later', { error });
        waitMs = backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS);
        failures += 1;
      }
      await sleep(waitMs, AbortSignal.any([stop.signal, change.signal]));
    }
  };

  const running = loop();
  return {
    /** A person got a role or lost one. */
    peopleChanged: () => change.abort(),
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
