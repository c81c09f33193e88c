import { computeBackoffMs, sleep } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { z } from 'zod';
import type { IncomingUpdate, ChannelListener } from '../../channel.ts';
import { createUpdateBatcher } from '../../http/batches.ts';
import { startAttachedListener } from '../../http/sink.ts';
import { toPhoneNumber } from '../chat-key.ts';
import type { GraphApiClient } from '../client.ts';
import { isAccountProblem, readRefusal } from '../failure.ts';
import type { MessageWindows } from '../window.ts';
import { decodeWebhook } from './decode.ts';
import type { DeliveryStatus } from './payload.ts';
import type { WebhookRoutes } from './webhook.ts';

/*
 * The listener is attached to the webhook at once, and asks Meta for the bot's phone number until Meta answers:
 *   answered: no problem · token or number refused: reported and asked again · Meta away: asked again
 * Updates are admitted in each of these states.
 */

export interface ListenerDeps {
  readonly routes: WebhookRoutes;
  readonly client: GraphApiClient;
  readonly windows: MessageWindows;
  readonly phoneNumberId: string;
  readonly log: Log;
  readonly admit: (updates: readonly IncomingUpdate[]) => Promise<void>;
  /** Called when Meta reports that an accepted message was not delivered. */
  readonly onUndelivered: () => void;
  /** Why Meta refuses all sends; null while Meta accepts them. */
  readonly trouble: () => string | null;
  readonly noteTrouble: (detail: string | null) => void;
  /** Called with the phone number as WhatsApp displays it. */
  readonly onNumber: (number: string) => void;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;
const WINDOW_CODE = 131047;

const OwnNumber = z.object({ display_phone_number: z.string() });

export function listenToWebhook(deps: ListenerDeps): ChannelListener {
  const { routes, windows, phoneNumberId, log } = deps;
  let isKnown = false;
  // Requests arrive in any order. Updates without a time come first.
  const add = createUpdateBatcher(deps.admit, (update) => ('at' in update ? Date.parse(update.at) : 0));

  const detach = routes.attach(async (webhook) => {
    const { updates, statuses, problems } = decodeWebhook(webhook, phoneNumberId);
    for (const problem of problems) log.error('Meta reports a problem with the number', { problem });
    for (const status of statuses) noteStatus(deps, status);
    // Before the commit, so that replies are possible even when nothing can be stored.
    for (const update of updates) {
      if (!('at' in update)) continue;
      const { at, messageId } = update;
      windows.noteMessage(toPhoneNumber(update.chatKey), { atMs: Date.parse(at), messageId });
    }
    if (updates.length > 0) await add(updates);
  });

  const refusal = (): string | null => {
    const detail = deps.trouble();
    return detail === null ? null : say('gateway.whatsapp-refused', { detail });
  };
  const listening = startAttachedListener({
    detach,
    problem: () => refusal() ?? (isKnown ? null : say('gateway.whatsapp-network')),
    meet: async (signal) => {
      isKnown = await meet(deps, signal);
    },
  });
  return { ...listening, refusal };
}

/** Asks for the bot's phone number until Meta answers. Returns false when stopped before. */
async function meet({ client, log, onNumber, noteTrouble }: ListenerDeps, signal: AbortSignal): Promise<boolean> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    const answer = await client.readNumber(signal).catch((error: unknown) => {
      if (!signal.aborted && failures === 0) log.warn('Meta is not reached', { error });
      return null;
    });
    const known = OwnNumber.safeParse(answer?.body);
    if (known.success) {
      onNumber(known.data.display_phone_number.replace(/\D/g, ''));
      noteTrouble(null);
      return true;
    }
    const refused = answer && readRefusal(answer);
    if (refused && (isAccountProblem(refused.code) || refused.code === 100 || refused.code === 33))
      noteTrouble(refused.detail);
    await sleep(computeBackoffMs(failures, BACKOFF_BASE_MS, BACKOFF_MAX_MS), signal);
  }
  return false;
}

/** Of the delivery statuses, only failures matter. */
function noteStatus({ windows, log, onUndelivered }: ListenerDeps, status: DeliveryStatus): void {
  if (status.status !== 'failed') return;
  const { id, recipient_id: recipient = '', errors } = status;
  onUndelivered();
  log.warn('WhatsApp did not deliver a message', { messageId: id, recipient, errors });
  if (errors.some(({ code }) => code === WINDOW_CODE)) windows.close(recipient);
}
