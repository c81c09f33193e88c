import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import { storeUnreadable } from '../../http/webhook-body.ts';
import type { TelegramConfig } from '../config.ts';
import type { WebhookEndpoint } from './webhook.ts';
import type { WebhookResult } from './webhook-server.ts';

/** How long running admissions may take at shutdown; with running sends this fits the service's closing time. */
const DRAIN_MS = 3_000;

/** Creates the webhook server, not yet open; null when updates are polled. */
export async function createWebhookEndpoint(
  config: TelegramConfig,
  deps: { readonly pool: Pool; readonly log: Log; readonly count: (result: WebhookResult) => void },
): Promise<WebhookEndpoint | null> {
  const { pool, log, count } = deps;
  const { TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: secret } = config;
  if (url === undefined || secret === undefined) return null; // the configuration has both or neither
  // Imported only here, since most gateways poll.
  const { createWebhookServer } = await import('./webhook-server.ts');
  const server = createWebhookServer({
    host: config.TELEGRAM_WEBHOOK_HOST,
    port: config.TELEGRAM_WEBHOOK_PORT,
    path: new URL(url).pathname,
    secret,
    log,
    drainMs: DRAIN_MS,
    count,
    onUnreadable: (raw) => storeUnreadable(pool, log, raw),
  });
  return { url, secret, server };
}
