import { z } from 'zod';
import { createBadRequest } from '../bot-error.ts';
import { allowedUpdates, flag, acceptInteger, parseParameters, type Parameters } from './bot-parameters.ts';
import type { Webhook } from '../store/event.ts';
import type { Store } from '../store/store.ts';

const DEFAULT_CONNECTIONS = 40;
const MAX_CONNECTIONS = 100;
const MAX_SECRET_BYTES = 256;

const SetWebhook = z.object({
  url: z.string().default(''),
  secret_token: z.string().default(''),
  max_connections: acceptInteger('max_connections must be an Integer').default(DEFAULT_CONNECTIONS),
  allowed_updates: allowedUpdates,
  drop_pending_updates: flag.default(false),
});

/** setWebhook: posts updates to the URL from now on; an empty URL restores getUpdates. */
export function setWebhook(store: Store, parameters: Parameters): true {
  const given = parseParameters(SetWebhook, parameters);
  if (given.url === '') return removeWebhook(store, given.drop_pending_updates);
  const next: Webhook = {
    url: given.url,
    secretToken: given.secret_token,
    maxConnections: Math.min(Math.max(given.max_connections, 1), MAX_CONNECTIONS),
  };
  const current = store.state.webhook;
  if (JSON.stringify(current) === JSON.stringify(next) && !given.drop_pending_updates) {
    if (given.allowed_updates) store.updates.allow(given.allowed_updates);
    return true;
  }
  store.updates.endPoll();
  // Telegram removes the old webhook even when it refuses the new one.
  if (current) store.commit({ kind: 'webhook', webhook: null });
  store.webhookError = null;
  if (given.drop_pending_updates) store.updates.dropAll();
  checkWebhook(next);
  if (given.allowed_updates) store.updates.allow(given.allowed_updates);
  store.commit({ kind: 'webhook', webhook: next });
  return true;
}

const DeleteWebhook = SetWebhook.pick({ drop_pending_updates: true });

/** deleteWebhook: keeps updates for getUpdates again; an update in delivery may arrive twice. */
export function deleteWebhook(store: Store, parameters: Parameters): true {
  return removeWebhook(store, parseParameters(DeleteWebhook, parameters).drop_pending_updates);
}

/** getWebhookInfo: returns the URL, the number of pending updates, and the last failure. */
export function getWebhookInfo(store: Store): object {
  const { webhook, allowedUpdates: allowed } = store.state;
  const error = store.webhookError;
  return {
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: store.state.updates.size,
    ...(webhook ? { ip_address: '127.0.0.1', max_connections: webhook.maxConnections } : {}),
    ...(error ? { last_error_date: error.date, last_error_message: error.message } : {}),
    ...(allowed.length === 0 ? {} : { allowed_updates: allowed }),
  };
}

function removeWebhook(store: Store, dropsPending: boolean): true {
  if (store.state.webhook) store.commit({ kind: 'webhook', webhook: null });
  store.webhookError = null;
  if (dropsPending) store.updates.dropAll();
  return true;
}

/** Allows only URLs on this machine, so that the simulator cannot be used against other hosts. */
function checkWebhook({ url, secretToken }: Webhook): void {
  if (!URL.canParse(url)) throw createBadRequest('invalid webhook URL specified');
  if (Buffer.byteLength(secretToken) > MAX_SECRET_BYTES) throw createBadRequest('secret token is too long');
  if (!/^[\w-]*$/.test(secretToken)) throw createBadRequest('secret token contains unallowed characters');
  const { protocol, hostname, username, password } = new URL(url);
  const isLocal = protocol === 'http:' && hostname === '127.0.0.1' && username === '' && password === '';
  if (!isLocal) throw createBadRequest('bad webhook: the simulator calls only http://127.0.0.1 (Telegram: only https)');
}
