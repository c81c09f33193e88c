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
  /** With PLACE where a code stands that it brings along: see `linkWith`. */
  readonly withCode: string;
  readonly takesDecisions: boolean;
}

const EVERY_MS = 1_000;
const KEY = 'channel_link:';
/** Stands for a code in an address that is kept: letters alone, which no channel has to write in another way. */
const PLACE = 'codestandshere';

/** Publishes where a channel is opened, as soon as that is known, and when it changes. */
export function startLinkPublisher(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
}): Closable {
  const { pool, channel, log } = deps;
  let published: string | null = null;
  const step = async (): Promise<void> => {
    const link = describeLink(channel);
    if (link === null || link.open === published) return;
    const { channel: name, ...rest } = link;
    await putSetting(pool, `${KEY}${name}`, sql`${JSON.stringify(rest)}::jsonb`);
    published = link.open;
  };
  return startLoop({ name: 'channel link', everyMs: EVERY_MS, log, step });
}

/** Where a channel is opened; null while that is not known. */
export function describeLink(channel: Pick<Channel, 'name' | 'link' | 'takesDecisions'>): ChannelLink | null {
  const open = channel.link?.(null) ?? null;
  const withCode = channel.link?.(PLACE) ?? null;
  if (open === null || withCode === null) return null;
  return { channel: channel.name, open, withCode, takesDecisions: channel.takesDecisions };
}

/** The address that opens the channel and brings this code along. */
export function linkWith({ withCode }: ChannelLink, code: string): string {
  return withCode.replaceAll(PLACE, () => encodeURIComponent(code));
}

/** Where the channels of this installation are opened, by name. */
export function readLinks(db: Queryable): Promise<readonly ChannelLink[]> {
  return listRows<ChannelLink>(db)`
    select substr(key, ${KEY.length + 1}::int) as channel, value ->> 'open' as open, value ->> 'withCode' as "withCode",
           (value ->> 'takesDecisions')::boolean as "takesDecisions"
      from settings where key like ${`${KEY}%`} order by key`;
}
