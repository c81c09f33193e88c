import { say, sayError } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { computeBackoffMs, sleep } from '@signalbox/contracts/time';
import type { IncomingUpdate, ChannelListener } from '../../channel.ts';
import { createTokenError, getHost, toApiSignal, type ApiSignal, type TelegramApi } from '../client.ts';
import { decodeUpdate, type BotIdentity } from './decode.ts';
import { classifyFailure, readErrorCode } from '../failure.ts';
import { ALLOWED_UPDATES } from './update.ts';

/*
 * getMe → deleteWebhook → poll(offset) → decode → admit (committed) → offset = last id + 1 → poll …
 *
 * A failure leaves the offset unchanged, so Telegram delivers the updates again and admission drops known ones.
 */

/** How long Telegram holds a poll that has nothing to deliver. */
const POLL_SECONDS = 25;
/** A longer poll hangs on a dead connection. */
export const POLL_TIMEOUT_SECONDS = POLL_SECONDS + 10;
/** The gateway is not ready when no poll has finished for this long. */
const STALE_MS = 60_000;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Two pollers interrupt each other with every poll, so this one slows down to let the other work. */
const CONFLICT_BACKOFF_MS = 5_000;
/** Between two conflicts polls succeed while the other poller reconnects, so a conflict counts for this long. */
const CONFLICT_LINGER_MS = 12_000;
/** A continuing conflict is logged this often. */
const CONFLICT_REPORT_MS = 10 * 60_000;

type PollTrouble = 'none' | 'starting' | 'conflict' | 'webhook' | 'network' | 'admission';

export interface PollingDeps {
  readonly api: TelegramApi;
  readonly log: Log;
  readonly admit: (updates: readonly IncomingUpdate[]) => Promise<void>;
}

/** Polls Telegram until closed, one batch at a time in Telegram's order. */
export class Polling implements ChannelListener {
  readonly ended: Promise<void>;
  readonly #deps: PollingDeps;
  readonly #stop = new AbortController();
  readonly #signal = toApiSignal(this.#stop.signal);
  #trouble: PollTrouble = 'starting';
  #failures = 0;
  #lastPollAt = Date.now();
  #conflictAt = -Infinity;
  #conflictReportedAt = -Infinity;
  /** The host of a webhook that receives the updates instead. */
  #webhookHost = '';

  constructor(deps: PollingDeps) {
    this.#deps = deps;
    this.ended = this.#loop();
    // The service awaits `ended` too; this prevents an unhandled rejection meanwhile.
    this.ended.catch(() => undefined);
  }

  problem(): string | null {
    if (Date.now() - this.#conflictAt < CONFLICT_LINGER_MS) return say('gateway.telegram-conflict');
    if (this.#trouble === 'webhook') return `Telegram: ${sayError('WEBHOOK_TAKEN', { host: this.#webhookHost })}`;
    if (this.#trouble !== 'none') return say(`gateway.telegram-${this.#trouble}`);
    return Date.now() - this.#lastPollAt > STALE_MS ? say('gateway.telegram-late') : null;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => undefined);
  }

  async #loop(): Promise<void> {
    const { admit, log } = this.#deps;
    const bot = await this.#identify();
    let isFree = false;
    let offset = 0;
    while (bot && !this.#stop.signal.aborted) {
      let batch: readonly unknown[];
      try {
        if (!isFree) await removeWebhook(this.#deps.api, log, this.#signal);
        isFree = true;
        batch = await this.#poll(offset);
        this.#lastPollAt = Date.now();
      } catch (error) {
        await this.#recover(error, 'network');
        continue;
      }
      try {
        if (batch.length > 0) await admit(batch.map((raw) => decodeUpdate(raw, bot)));
      } catch (error) {
        await this.#recover(error, 'admission');
        continue;
      }
      if (this.#trouble !== 'none') log.info('updates come in', { bot: bot.username });
      this.#trouble = 'none';
      this.#failures = 0;
      const next = getNextOffset(batch, offset);
      // Updates without a usable id cannot be confirmed; without this wait they would be polled in a tight loop.
      if (next === null) await sleep(1_000, this.#stop.signal);
      offset = next ?? Math.max(offset, 1);
    }
  }

  async #identify(): Promise<BotIdentity | null> {
    while (!this.#stop.signal.aborted) {
      try {
        const { id, username } = await this.#deps.api.getMe(this.#signal);
        return { id, username };
      } catch (error) {
        await this.#recover(error, 'network');
      }
    }
    return null;
  }

  async #poll(offset: number): Promise<readonly unknown[]> {
    // The first poll after a start or failure returns at once, so that readiness is known soon.
    const timeout = this.#trouble === 'none' ? POLL_SECONDS : 0;
    const options = { offset, timeout, allowed_updates: ALLOWED_UPDATES };
    const updates: unknown = await this.#deps.api.getUpdates(options, this.#signal);
    if (!Array.isArray(updates)) throw new Error('getUpdates answered something that is no list');
    return updates;
  }

  /** Classifies a failure and waits. Throws when retrying cannot help. */
  async #recover(error: unknown, otherwise: PollTrouble): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const code = readErrorCode(error);
    if (code === 401 || code === 404) throw createTokenError(code, error);
    this.#report(code === 409 ? await this.#explainConflict() : otherwise, error);
    const baseMs = code === 409 ? CONFLICT_BACKOFF_MS : BACKOFF_BASE_MS;
    const waitMs = computeBackoffMs(this.#failures, baseMs, BACKOFF_MAX_MS);
    this.#failures += 1;
    await sleep(waitMs, this.#stop.signal);
  }

  /** Telegram refuses polls when another process polls, or when a webhook is set. */
  async #explainConflict(): Promise<'conflict' | 'webhook'> {
    // When Telegram does not answer, the next refused poll asks again.
    const { url = '' } = await this.#deps.api.getWebhookInfo(this.#signal).catch(() => ({ url: '' }));
    this.#webhookHost = getHost(url);
    return url === '' ? 'conflict' : 'webhook';
  }

  #report(kind: PollTrouble, error: unknown): void {
    const { log } = this.#deps;
    const isNew = kind !== this.#trouble;
    this.#trouble = kind;
    if (kind === 'conflict') {
      this.#conflictAt = Date.now();
      if (this.#conflictAt - this.#conflictReportedAt < CONFLICT_REPORT_MS) return;
      this.#conflictReportedAt = this.#conflictAt;
      log.error('another process polls this bot: stop it, or give this one a bot of its own; updates wait until then', {
        error,
      });
    } else if (isNew && kind === 'webhook') {
      const host = this.#webhookHost;
      log.error('a webhook was set for this bot, so Telegram refuses polls; updates go there', { host });
    } else if (isNew) {
      log.warn('updates do not come in', { trouble: kind, failure: classifyFailure(error), error });
    }
  }
}

/** The offset after a batch: its highest id plus one, even if lower than before (Telegram may restart ids). Null without an id. */
export function getNextOffset(batch: readonly unknown[], offset: number): number | null {
  const ids = batch.flatMap((update) =>
    typeof update === 'object' && update !== null && 'update_id' in update && Number.isSafeInteger(update.update_id)
      ? [Number(update.update_id)]
      : [],
  );
  if (batch.length === 0) return offset;
  return ids.length === 0 ? null : Math.max(...ids) + 1;
}

/** Removes a webhook, which would block polls. Only at startup: a webhook that is set later was set on purpose. */
async function removeWebhook(api: TelegramApi, log: Log, signal: ApiSignal): Promise<void> {
  const { url = '' } = await api.getWebhookInfo(signal).catch((error: unknown) => {
    // A server without webhooks refuses the question. If one exists after all, polls will report it.
    if (classifyFailure(error).kind === 'rejected') return { url: '' };
    throw error;
  });
  if (url === '') return;
  await api.deleteWebhook({}, signal);
  log.warn('the webhook is removed: this gateway polls', { was: getHost(url) });
}
