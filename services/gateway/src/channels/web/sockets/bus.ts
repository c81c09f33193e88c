import { parseJson } from '@signalbox/contracts/system-error';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { z } from 'zod';

/** The Redis pub/sub channel between gateways, after the key prefix. Nothing is stored. */
const CHANNEL = 'pages';

/** Events for the pages of a chat. Losing one is harmless: pages poll for patches, and the other events are temporary. */
const PageEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('patched'), chatKey: z.string() }),
  z.object({ kind: z.literal('thinking'), chatKey: z.string() }),
  z.object({ kind: z.literal('draft'), chatKey: z.string(), text: z.string() }),
  z.object({ kind: z.literal('signed-out'), login: z.string() }),
]);
export type PageEvent = z.infer<typeof PageEvent>;

const BusMessage = z.object({ from: z.string(), news: PageEvent });

/** Exchanges page events with the other gateways. */
export interface PageEventBus extends Closable {
  /** Resolves once Redis has the event. Never throws or waits for a connection. */
  publish(event: PageEvent): Promise<void>;
}

/** Connects to the other gateways on a connection of its own. `receive` gets events of other gateways only. */
export async function openPageEventBus(options: {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly prefix: string;
  /** The unique id of this process. */
  readonly gateway: string;
  readonly log: Log;
  readonly receive: (event: PageEvent) => void;
}): Promise<PageEventBus> {
  const { redis, gateway, log, receive } = options;
  const channel = `${options.prefix}${CHANNEL}`;
  const listener = openRedis(options.redisUrl, log, 0);
  listener.on('message', (_channel: string, raw: string) => {
    const message = BusMessage.safeParse(parseJson(raw)).data;
    if (message && message.from !== gateway) receive(message.news);
  });
  await listener.subscribe(channel);
  return {
    publish: async (event) => {
      if (redis.status !== 'ready') return;
      await redis.publish(channel, JSON.stringify({ from: gateway, news: event })).catch((error: unknown) =>
        // Pages poll for missing patches.
        log.debug('event for pages not told', { kind: event.kind, error }),
      );
    },
    close: () => closeRedis(listener),
  };
}
