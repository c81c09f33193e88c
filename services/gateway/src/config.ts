import { CommonConfig, readConfig } from '@signalbox/shared/config';
import { z } from 'zod';

const count = (min: number, max: number) => z.coerce.number().min(min).max(max);

/** Every variable of the gateway. */
export const GatewayConfig = CommonConfig.extend({
  /** What @BotFather gave you: the bot's id, a colon, a secret. The simulator takes any that it was started with. */
  TELEGRAM_BOT_TOKEN: z
    .string({ error: 'is not set. Create a bot with @BotFather and put its token here; `npm start` needs none.' })
    .regex(/^\d+:[\w-]+$/, 'is not a bot token. It looks like 123456:ABC-DEF and comes from @BotFather.'),
  /** Where the Bot API is served. Only the simulator and self-hosted Bot API servers need another value. */
  TELEGRAM_API_ROOT: z
    .url()
    .default('https://api.telegram.org')
    .transform((url) => url.replace(/\/+$/, '')),
  /** Sends per second over all chats, for this process. Telegram allows about 30 for one bot: share it among gateways. */
  TELEGRAM_SENDS_PER_SECOND: count(0.1, 1_000).default(28),
  /** Sends per second in one private chat, after a burst. Telegram allows about one. */
  TELEGRAM_CHAT_SENDS_PER_SECOND: count(0.1, 1_000).default(1),
  /** How many sends a private chat may get at once after a quiet time. */
  TELEGRAM_CHAT_BURST: count(1, 100).default(4),
  /** Sends per minute in one group. Telegram allows 20. */
  TELEGRAM_GROUP_SENDS_PER_MINUTE: count(1, 60_000).default(20),
  /** A person sees an answer that is being written grow at most this often, in milliseconds. 0: only when it is whole. */
  TELEGRAM_DRAFT_INTERVAL_MS: z.coerce.number().int().min(0).max(20_000).default(1_000),
  /** Messages that one person may send within ten seconds. */
  INBOUND_BURST: z.coerce.number().int().min(1).max(10_000).default(20),
  /** Chats that are delivered to at the same time. */
  DELIVERY_CHATS: z.coerce.number().int().min(1).max(1_000).default(50),
  /** Connections to Postgres. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(200).default(10),
  /** This process among its peers: a stable name, different for each gateway that runs at the same time. */
  GATEWAY_NAME: z.string().min(1).max(60).default('gateway-1'),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;

/** Reads the environment. Throws CONFIG_INVALID with every problem at once. */
export function loadConfig(): GatewayConfig {
  return readConfig(GatewayConfig);
}
