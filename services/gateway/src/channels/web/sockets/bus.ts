import { parseJson } from '@signalbox/contracts/system-error';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { z } from 'zod';

/** The Redis pub/sub channel between gateways, after the key prefix. Nothing is stored. */
const CHANNEL = 'pages';

/** Events for the pages of a chat. Losing one is harmless: pages poll for patches, and the other events are temporary. */
const News = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('patched'), chatKey: z.string() }),
  z.object({ kind: z.literal('thinking'), chatKey: z.string() }),
  z.object({ kind: z.literal('draft'), chatKey: z.string(), text: z.string() }),
  z.object({ kind: z.literal('signed-out'), login: z.string() }),
]);
export type News = z.infer<typeof News>;

const Letter = z.object({ from: z.string(), news: News });

/** Exchanges page events with the other gateways. */
export interface Bus extends Closable {
  /** Resolves once Redis has the event. Never throws or waits for a connection. */
  tell(news: News): Promise<void>;
}

/** Connects to the other gateways on a connection of its own. `hear` gets events of other gateways only. */
export async function openBus(options: {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly prefix: string;
  /** The unique id of this process. */
  readonly gateway: string;
  readonly log: Log;
  readonly hear: (news: News) => void;
}): Promise<Bus> {
  const { redis, gateway, log, hear } = options;
  const channel = `${options.prefix}${CHANNEL}`;
  const listener = openRedis(options.redisUrl, log, 0);
  listener.on('message', (_channel: string, raw: string) => {
    const letter = Letter.safeParse(parseJson(raw)).data;
    if (letter && letter.from !== gateway) hear(letter.news);
  });
  await listener.subscribe(channel);
  return {
    tell: async (news) => {
      if (redis.status !== 'ready') return;
      await redis.publish(channel, JSON.stringify({ from: gateway, news })).catch((error: unknown) =>
        // Pages poll for missing patches.
        log.debug('news for pages not told', { kind: news.kind, error }),
      );
    },
    close: () => closeRedis(listener),
  };
}
