import { readArtifact } from '@signalbox/store/artifacts';
import type { ChannelDefinition } from '../channel.ts';
import { storeUnreadable } from '../http/webhook-body.ts';
import { WhatsAppConfig } from './config.ts';

/** The WhatsApp channel, through Meta's Cloud API. */
export default {
  name: 'whatsapp',
  config: WhatsAppConfig,
  open: async ({ config, pool, redis, prefix, log, metrics, http }) => {
    const { createWhatsApp } = await import('./channel.ts');
    const { createGraphApiClient } = await import('./client.ts');
    const { createMessageWindows } = await import('./window.ts');
    const { mountWebhook } = await import('./receive/webhook.ts');
    const phoneNumberId = config.WHATSAPP_PHONE_NUMBER_ID;
    if (config.WHATSAPP_TEMPLATE === undefined)
      log.warn('WHATSAPP_TEMPLATE is not set: who has not written for 24 hours does not learn that something waits');
    return createWhatsApp({
      phoneNumberId,
      template: config.WHATSAPP_TEMPLATE ?? null,
      client: createGraphApiClient({
        root: config.WHATSAPP_API_ROOT,
        token: config.WHATSAPP_ACCESS_TOKEN,
        phoneNumberId,
      }),
      windows: createMessageWindows({ pool, redis, prefix, bot: phoneNumberId, log }),
      routes: mountWebhook(http(), {
        appSecret: config.WHATSAPP_APP_SECRET,
        verifyToken: config.WHATSAPP_VERIFY_TOKEN,
        log,
        count: (result) => metrics.webhook.add({ result }),
        onUnreadable: (raw) => storeUnreadable(pool, log, raw),
      }),
      loadFile: (artifactId) => readArtifact(pool, artifactId),
      log,
      onUndelivered: () => metrics.sends.add({ result: 'undelivered' }),
    });
  },
} satisfies ChannelDefinition<typeof WhatsAppConfig>;
