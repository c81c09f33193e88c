import { z } from 'zod';
import { badRequest } from './bot-error.ts';
import { flag, integer, jsonOf, parseParameters, type Parameters } from './bot-parameters.ts';
import type { World } from './world.ts';

/** Telegram's server answers a long poll after this time at the latest. */
const MAX_POLL_SECONDS = 50;
const MAX_BATCH = 100;
const GetUpdates = z.object({
  offset: integer('offset must be an Integer').default(0),
  limit: integer('limit must be an Integer').default(MAX_BATCH),
  timeout: integer('timeout must be an Integer').default(0),
  allowed_updates: jsonOf(
    z.array(z.string(), { error: "can't parse allowed_updates: expected an Array of String" }),
    "can't parse allowed_updates JSON object",
  ).optional(),
});

/** getUpdates: a long poll of at most 50 seconds; the signal ends it with an empty list. */
export function getUpdates(world: World, parameters: Parameters, signal: AbortSignal): Promise<readonly unknown[]> {
  const given = parseParameters(GetUpdates, parameters);
  return world.updates.poll({
    offset: given.offset,
    limit: given.limit >= 1 && given.limit <= MAX_BATCH ? given.limit : MAX_BATCH,
    timeoutMs: Math.min(Math.max(given.timeout, 0), MAX_POLL_SECONDS) * 1000,
    allowedUpdates: given.allowed_updates,
    signal,
  });
}

const Webhook = z.object({ url: z.string().default(''), drop_pending_updates: flag.default(false) });

/** setWebhook: refused, unless it removes a webhook. */
export function setWebhook(world: World, parameters: Parameters): true {
  if (parseParameters(Webhook, parameters).url !== '') {
    throw badRequest('the simulator has no webhooks: the bot has to call getUpdates');
  }
  return deleteWebhook(world, parameters);
}

/** deleteWebhook: there is none, but what waits can be dropped. */
export function deleteWebhook(world: World, parameters: Parameters): true {
  if (parseParameters(Webhook, parameters).drop_pending_updates) world.updates.dropAll();
  return true;
}

/** getWebhookInfo: no URL, and how much waits. */
export function getWebhookInfo(world: World): object {
  const allowed = world.state.allowedUpdates;
  return {
    url: '',
    has_custom_certificate: false,
    pending_update_count: world.state.updates.size,
    ...(allowed.length === 0 ? {} : { allowed_updates: allowed }),
  };
}
