import { parseJson } from '@signalbox/contracts/system-error';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { z } from 'zod';

/** Redis pub/sub channel of the gateways among each other, behind the key prefix. Nothing of it is stored. */
const CHANNEL = 'pages';

/** What concerns the pages of a chat. Losing one is harmless: patches are looked for, and the rest passes. */
const News = z.discriminatedUnion('kind', [
  /** There are patches that the pages have not. */
  z.object({ kind: z.literal('patched'), chatKey: z.string() }),
  z.object({ kind: z.literal('thinking'), chatKey: z.string() }),
  /** What is being written, as markdown. */
  z.object({ kind: z.literal('draft'), chatKey: z.string(), text: z.string() }),
  /** A browser was signed out. */
  z.object({ kind: z.literal('signed-out'), login: z.string() }),
]);
export type News = z.infer<typeof News>;

const Letter = z.object({ from: z.string(), news: News });

/** Tells the other gateways, and hears them. */
export interface Bus extends Closable {
  /** Resolves once Redis has it. Never throws, and never waits for a connection. */
  tell(news: News): Promise<void>;
}

/** Opens the way to the other gateways on a connection of its own. `hear` gets what they tell, and nothing of our own. */
export async function openBus(options: {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly prefix: string;
  /** This process, unlike any other. */
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
        // Pages look for what they lack.
        log.debug('news for pages not told', { kind: news.kind, error }),
      );
    },
    close: () => closeRedis(listener),
  };
}
