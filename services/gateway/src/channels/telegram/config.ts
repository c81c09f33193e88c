import { say } from '@signalbox/messages/say';
import { z } from 'zod';

const count = (min: number, max: number) => z.coerce.number().min(min).max(max);

export const TelegramConfig = z
  .object({
    /** The token from @BotFather: the bot's id, a colon, a secret. The simulator accepts the tokens it was started with. */
    TELEGRAM_BOT_TOKEN: z
      .string({ error: 'is not set. Create a bot with @BotFather and put its token here; `npm start` needs none.' })
      .regex(/^\d+:[\w-]+$/, 'is not a bot token. It looks like 123456:ABC-DEF and comes from @BotFather.')
      .meta({ secret: true }),
    /** The address of the Bot API. Only the simulator and self-hosted servers need another value. */
    TELEGRAM_API_ROOT: z
      .url()
      .default('https://api.telegram.org')
      .transform((url) => url.replace(/\/+$/, '')),
    /** The public https address of the webhook. When not set, updates are polled. */
    TELEGRAM_WEBHOOK_URL: z.url().optional(),
    /** The secret that Telegram sends with each webhook call. Required with the address. */
    TELEGRAM_WEBHOOK_SECRET: z
      .string()
      .regex(/^[\w-]{16,256}$/, 'takes 16 to 256 of the characters A-Z a-z 0-9 _ -. `openssl rand -hex 32` makes one.')
      .optional()
      .meta({ secret: true }),
    /** The address that the webhook listens on. TLS is terminated by a proxy in front of it. */
    TELEGRAM_WEBHOOK_HOST: z.string().default('127.0.0.1'),
    /** The port that the webhook listens on; 0 picks a free one. */
    TELEGRAM_WEBHOOK_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    /** Sends per second over all chats of this process. Telegram allows about 30 per bot: divide it among gateways. */
    TELEGRAM_SENDS_PER_SECOND: count(0.1, 1_000).default(28),
    /** Sends per second in one private chat once its burst is used. Telegram allows about one. */
    TELEGRAM_CHAT_SENDS_PER_SECOND: count(0.1, 1_000).default(1),
    /** Sends at once to a private chat after a quiet time. */
    TELEGRAM_CHAT_BURST: count(1, 100).default(4),
    /** Sends per minute in one group. Telegram allows 20. */
    TELEGRAM_GROUP_SENDS_PER_MINUTE: count(1, 60_000).default(20),
    /** The shortest time between two drafts of an answer, in milliseconds; 0 shows no drafts. */
    TELEGRAM_DRAFT_INTERVAL_MS: z.coerce.number().int().min(0).max(20_000).default(1_000),
    /** `on` sends tables, headings and long texts as rich messages, which old clients cannot show; `off` sends plain ones. */
    TELEGRAM_RICH_MESSAGES: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('on'),
  })
  .superRefine((config, context) => {
    for (const [name, message] of findWebhookProblems(config))
      context.addIssue({ code: 'custom', path: [name], message, input: undefined });
  });
export type TelegramConfig = z.infer<typeof TelegramConfig>;

/** Telegram calls no other ports. */
const WEBHOOK_PORTS = ['', '80', '88', '443', '8443'];

function findWebhookProblems(config: {
  readonly TELEGRAM_WEBHOOK_URL?: string | undefined;
  readonly TELEGRAM_WEBHOOK_SECRET?: string | undefined;
  readonly TELEGRAM_API_ROOT: string;
}): readonly (readonly [name: string, message: string])[] {
  const { TELEGRAM_WEBHOOK_URL: given, TELEGRAM_WEBHOOK_SECRET: secret } = config;
  if (given === undefined) {
    return secret === undefined ? [] : [['TELEGRAM_WEBHOOK_SECRET', say('gateway.webhook-url-missing')]];
  }
  const problems: [string, string][] = [];
  if (secret === undefined) {
    problems.push(['TELEGRAM_WEBHOOK_SECRET', say('gateway.webhook-secret-missing')]);
  }
  // The schema reports invalid addresses itself.
  if (!URL.canParse(given) || !URL.canParse(config.TELEGRAM_API_ROOT)) return problems;
  const { protocol, hostname, port, username } = new URL(given);
  // Only the simulator calls this machine without TLS.
  const isLocal = protocol === 'http:' && hostname === '127.0.0.1';
  if (protocol !== 'https:' && !isLocal) problems.push(['TELEGRAM_WEBHOOK_URL', say('gateway.webhook-not-https')]);
  if (username !== '') problems.push(['TELEGRAM_WEBHOOK_URL', say('gateway.webhook-user')]);
  // A self-hosted Bot API server may call any port.
  if (!isLocal && new URL(config.TELEGRAM_API_ROOT).hostname === 'api.telegram.org' && !WEBHOOK_PORTS.includes(port)) {
    problems.push(['TELEGRAM_WEBHOOK_URL', say('gateway.webhook-port')]);
  }
  return problems;
}
