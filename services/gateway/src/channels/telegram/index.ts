import { readArtifact } from '@signalbox/store/artifacts';
import type { ChannelDefinition } from '../channel.ts';
import { TelegramConfig } from './config.ts';

export default {
  name: 'telegram',
  config: TelegramConfig,
  open: async ({ config, pool, log, metrics }) => {
    const { createTelegram } = await import('./channel.ts');
    const { createWebhookEndpoint } = await import('./receive/webhook-target.ts');
    return createTelegram({
      token: config.TELEGRAM_BOT_TOKEN,
      apiRoot: config.TELEGRAM_API_ROOT,
      log,
      webhook: await createWebhookEndpoint(config, { pool, log, count: (result) => metrics.webhook.add({ result }) }),
      richMessages: config.TELEGRAM_RICH_MESSAGES === 'on',
      loadFile: (artifactId) => readArtifact(pool, artifactId),
      draftIntervalMs: config.TELEGRAM_DRAFT_INTERVAL_MS,
      throttle: {
        sendsPerSecond: config.TELEGRAM_SENDS_PER_SECOND,
        chatSendsPerSecond: config.TELEGRAM_CHAT_SENDS_PER_SECOND,
        chatBurst: config.TELEGRAM_CHAT_BURST,
        groupSendsPerMinute: config.TELEGRAM_GROUP_SENDS_PER_MINUTE,
      },
    });
  },
} satisfies ChannelDefinition<typeof TelegramConfig>;
