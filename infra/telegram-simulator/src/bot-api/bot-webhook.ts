import { z } from 'zod';
import { badRequest } from '../bot-error.ts';
import { allowedUpdates, flag, integer, parseParameters, type Parameters } from './bot-parameters.ts';
import type { Webhook } from '../store/event.ts';
import type { Store } from '../store/store.ts';

const DEFAULT_CONNECTIONS = 40;
const MAX_CONNECTIONS = 100;
const MAX_SECRET_BYTES = 256;

const SetWebhook = z.object({
  url: z.string().default(''),
  secret_token: z.string().default(''),
  max_connections: integer('max_connections must be an Integer').default(DEFAULT_CONNECTIONS),
  allowed_updates: allowedUpdates,
  drop_pending_updates: flag.default(false),
});

/** setWebhook: updates are posted to the URL from now on; an empty URL goes back to getUpdates. */
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
  // As in Telegram the old webhook goes first, even if the new one is refused then.
  if (current) store.commit({ kind: 'webhook', webhook: null });
  store.webhookError = null;
  if (given.drop_pending_updates) store.updates.dropAll();
  checkWebhook(next);
  if (given.allowed_updates) store.updates.allow(given.allowed_updates);
  store.commit({ kind: 'webhook', webhook: next });
  return true;
}

const DeleteWebhook = SetWebhook.pick({ drop_pending_updates: true });

/** deleteWebhook: updates wait for getUpdates again. What is just being sent may come twice. */
export function deleteWebhook(store: Store, parameters: Parameters): true {
  return removeWebhook(store, parseParameters(DeleteWebhook, parameters).drop_pending_updates);
}

/** getWebhookInfo: where updates go, how many wait, and the last failure. */
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

/**
 * Telegram takes only https on the ports 80, 88, 443 and 8443, and no address of a private network. Here it is the other
 * way round: a simulator that called anything but this machine could be used to reach somebody.
 */
function checkWebhook({ url, secretToken }: Webhook): void {
  if (!URL.canParse(url)) throw badRequest('invalid webhook URL specified');
  if (Buffer.byteLength(secretToken) > MAX_SECRET_BYTES) throw badRequest('secret token is too long');
  if (!/^[\w-]*$/.test(secretToken)) throw badRequest('secret token contains unallowed characters');
  const { protocol, hostname, username, password } = new URL(url);
  const isLocal = protocol === 'http:' && hostname === '127.0.0.1' && username === '' && password === '';
  if (!isLocal) throw badRequest('bad webhook: the simulator calls only http://127.0.0.1 (Telegram: only https)');
}
