import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import { storeUnreadable } from '../../http/webhook-body.ts';
import type { TelegramConfig } from '../config.ts';
import type { WebhookTarget } from './webhook.ts';
import type { WebhookResult } from './webhook-refusal.ts';

/** Updates that are being admitted may finish within this time: together with running sends, less than a service has to close. */
const DRAIN_MS = 3_000;

/** The server that Telegram calls, still closed; null when updates are polled. */
export async function createWebhookTarget(
  config: TelegramConfig,
  deps: { readonly pool: Pool; readonly log: Log; readonly count: (result: WebhookResult) => void },
): Promise<WebhookTarget | null> {
  const { pool, log, count } = deps;
  const { TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_SECRET: secret } = config;
  if (url === undefined || secret === undefined) return null; // the configuration has both or neither
  // A server of HTTP is loaded only where one is needed: most gateways poll.
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
