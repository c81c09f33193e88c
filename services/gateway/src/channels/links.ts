import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { putSetting } from '@signalbox/store/settings';
import { listRows, sql } from '@signalbox/store/sql';
import type { Channel } from './channel.ts';

/** The address of a channel, published in the database for gateways with other channels. */
export interface ChannelLink {
  readonly channel: string;
  readonly open: string;
  /** The address with CODE_PLACEHOLDER where a code belongs: see `createLinkWithCode`. */
  readonly withCode: string;
  readonly takesDecisions: boolean;
}

const PUBLISH_EVERY_MS = 1_000;
const KEY_PREFIX = 'channel_link:';
/** Only letters, so that no channel escapes it in an address. */
const CODE_PLACEHOLDER = 'codestandshere';

/** Publishes the channel's address once it is known, and when it changes. */
export function startLinkPublisher(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
}): Closable {
  const { pool, channel, log } = deps;
  let published: string | null = null;
  const step = async (): Promise<void> => {
    const link = toChannelLink(channel);
    if (link === null || link.open === published) return;
    const { channel: name, ...rest } = link;
    await putSetting(pool, `${KEY_PREFIX}${name}`, sql`${JSON.stringify(rest)}::jsonb`);
    published = link.open;
  };
  return startLoop({ name: 'channel link', everyMs: PUBLISH_EVERY_MS, log, step });
}

/** The address of a channel; null while the address is unknown. */
export function toChannelLink(channel: Pick<Channel, 'name' | 'link' | 'takesDecisions'>): ChannelLink | null {
  const open = channel.link?.(null) ?? null;
  const withCode = channel.link?.(CODE_PLACEHOLDER) ?? null;
  if (open === null || withCode === null) return null;
  return { channel: channel.name, open, withCode, takesDecisions: channel.takesDecisions };
}

export function createLinkWithCode({ withCode }: ChannelLink, code: string): string {
  return withCode.replaceAll(CODE_PLACEHOLDER, () => encodeURIComponent(code));
}

export function readLinks(db: Queryable): Promise<readonly ChannelLink[]> {
  return listRows<ChannelLink>(db)`
    select substr(key, ${KEY_PREFIX.length + 1}::int) as channel, value ->> 'open' as open, value ->> 'withCode' as "withCode",
           (value ->> 'takesDecisions')::boolean as "takesDecisions"
      from settings where key like ${`${KEY_PREFIX}%`} order by key`;
}
