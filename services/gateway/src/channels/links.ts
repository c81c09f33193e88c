import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { putSetting } from '@signalbox/store/settings';
import { listRows, sql } from '@signalbox/store/sql';
import type { Channel } from './channel.ts';

/** Where a channel is opened: other gateways, which may have other channels, read it in the database. */
export interface ChannelLink {
  readonly channel: string;
  readonly open: string;
  /** With `{code}` in the place of a code that it brings along. */
  readonly withCode: string;
  readonly takesDecisions: boolean;
}

const EVERY_MS = 1_000;
const KEY = 'channel_link:';

/** Publishes where a channel is opened, as soon as that is known, and when it changes. */
export function startLinkPublisher(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
}): Closable {
  const { pool, channel, log } = deps;
  let published: string | null = null;
  const step = async (): Promise<void> => {
    const open = channel.link?.(null) ?? null;
    const withCode = channel.link?.('{code}') ?? null;
    if (open === null || withCode === null || open === published) return;
    const link: Omit<ChannelLink, 'channel'> = { open, withCode, takesDecisions: channel.takesDecisions };
    await putSetting(pool, `${KEY}${channel.name}`, sql`${JSON.stringify(link)}::jsonb`);
    published = open;
  };
  return startLoop({ name: 'channel link', everyMs: EVERY_MS, log, step });
}

/** Where the channels of this installation are opened, by name. */
export function readLinks(db: Queryable): Promise<readonly ChannelLink[]> {
  return listRows<ChannelLink>(db)`
    select substr(key, ${KEY.length + 1}::int) as channel, value ->> 'open' as open, value ->> 'withCode' as "withCode",
           (value ->> 'takesDecisions')::boolean as "takesDecisions"
      from settings where key like ${`${KEY}%`} order by key`;
}
