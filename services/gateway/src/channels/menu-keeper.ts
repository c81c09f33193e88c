import { tryAcquireLease } from './leases.ts';
import { putSetting } from '@signalbox/store/settings';
import type { Pool } from '@signalbox/store/pool';
import { listUsers } from '@signalbox/store/people/users';
import { findValue, sql } from '@signalbox/store/sql';
import type { Log } from '@signalbox/platform/log';
import { computeBackoffMs, HOUR_MS, sleep } from '@signalbox/contracts/time';
import type { Channel } from './channel.ts';

/*
 * started ─▶ one gateway compares all menus ─▶ up to date ─▶ an admin is added or removed ─▶ their menu is compared ─▶ …
 * └─ Telegram or Postgres away ─▶ tried again with growing delays; typing commands still works
 */

const RETRY_BASE_MS = 2_000;
const RETRY_MAX_MS = 10 * 60_000;
/** How soon a gateway checks again whether another one is done. */
const BUSY_MS = 1_000;
/** How often the menus of admins are compared without a role change. */
const COMPARE_EVERY_MS = 24 * HOUR_MS;

/** Keeps the command menus of clients up to date. */
export function startMenuKeeper(deps: { readonly pool: Pool; readonly channel: Channel; readonly log: Log }) {
  const { pool, channel, log } = deps;
  const stop = new AbortController();
  const account = `${channel.name}:${channel.bot}`;
  const settingKey = `menu_admins:${account}`;
  let isEverybodyDue = true;
  let change = new AbortController();

  /** Updates the menus. False while another gateway updates them. */
  const updateMenus = async (): Promise<boolean> => {
    const { hold } = await tryAcquireLease(pool, `menu:${account}`, 'exclusive');
    if (!hold) return false;
    try {
      const users = await listUsers(pool);
      const admins = users
        .filter((user) => user.role === 'admin' && user.channel === channel.name)
        .map((user) => user.userKey);
      // Admins at the last update: those who are no longer admins lose the admin menu.
      const before = await findValue<readonly string[]>(pool, [])`select value from settings where key = ${settingKey}`;
      await channel.offerCommands?.(
        { everybody: isEverybodyDue, admins, former: before.filter((one) => !admins.includes(one)) },
        stop.signal,
      );
      await putSetting(pool, settingKey, sql`${JSON.stringify(admins)}::jsonb`);
      isEverybodyDue = false;
      return true;
    } finally {
      hold.release();
    }
  };

  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!stop.signal.aborted) {
      // A role change from here on triggers the next round.
      change = new AbortController();
      let waitMs = COMPARE_EVERY_MS;
      try {
        if (!(await updateMenus())) waitMs = BUSY_MS;
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        log[failures === 0 ? 'warn' : 'debug']('menu not registered, tried again later', { error });
        waitMs = computeBackoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS);
        failures += 1;
      }
      await sleep(waitMs, AbortSignal.any([stop.signal, change.signal]));
    }
  };

  const running = loop();
  return {
    /** Called after a person got or lost a role. */
    peopleChanged: () => change.abort(),
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
