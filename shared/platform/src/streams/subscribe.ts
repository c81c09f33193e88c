import type { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { closeRedis, openRedis } from '../redis.ts';

/** Calls `onMessage` for every message on these pub/sub channels once it has resolved, on its own connection, until closed. Ignores others. */
export async function subscribe<S extends z.ZodType>(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  /** Without the prefix. */
  readonly channels: readonly string[];
  readonly schema: S;
  readonly log: Log;
  readonly onMessage: (message: z.output<S>) => void;
}): Promise<Closable> {
  const { redisUrl, prefix, channels, schema, log, onMessage } = options;
  const redis = openRedis(redisUrl, log, 0);
  redis.on('message', (channel: string, raw: string) => {
    const message = schema.safeParse(parseJson(raw));
    if (message.success) onMessage(message.data);
    else log.debug('unreadable message', { channel, length: raw.length });
  });
  await redis.subscribe(...channels.map((channel) => `${prefix}${channel}`));
  return { close: () => closeRedis(redis) };
}
