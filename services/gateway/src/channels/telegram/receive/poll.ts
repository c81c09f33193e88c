import { say } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import { backoffMs, sleep } from '@signalbox/contracts/time';
import type { Incoming, Listening } from '../../channel.ts';
import { createTokenError, hostOf, toApiSignal, type ApiSignal, type TelegramApi } from '../client.ts';
import { decode, type BotIdentity } from './decode.ts';
import { classify, readErrorCode } from '../failure.ts';
import { ALLOWED_UPDATES } from './update.ts';

/*
 * The loop:
 *   getMe → deleteWebhook → poll(offset) → decode → admit (committed) → offset = last id + 1 → poll …
 * A failure anywhere leaves the offset alone, so Telegram gives the same updates again, and admission drops those it knows.
 */

/** How long Telegram holds an empty poll. */
const POLL_SECONDS = 25;
/** A poll that is silent for longer hangs on a dead connection: the time-out of the client that polls. */
export const POLL_TIMEOUT_SECONDS = POLL_SECONDS + 10;
/** Without a finished poll for this long we are not ready. */
const STALE_MS = 60_000;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Two pollers throw each other out with every poll: slowly enough that the other one gets work done. */
const CONFLICT_BACKOFF_MS = 5_000;
/** Between two conflicts polls succeed: the other poller comes back within seconds. So this long it is not over yet. */
const CONFLICT_LINGER_MS = 12_000;
const CONFLICT_TELL_MS = 10 * 60_000;

type Trouble = 'none' | 'starting' | 'conflict' | 'webhook' | 'network' | 'admission';

/** Polls Telegram until closed. Updates come in one batch at a time, in Telegram's order. */
export function startPolling(deps: {
  readonly api: TelegramApi;
  readonly log: Log;
  readonly admit: (updates: readonly Incoming[]) => Promise<void>;
}): Listening {
  const { api, log, admit } = deps;
  const stop = new AbortController();
  const signal = toApiSignal(stop.signal);
  let trouble: Trouble = 'starting';
  let failures = 0;
  let lastPollAt = Date.now();
  let conflictAt = -Infinity;
  let conflictToldAt = -Infinity;
  let webhookHost = '';

  const report = (kind: Trouble, error: unknown): void => {
    const isNew = kind !== trouble;
    trouble = kind;
    if (kind === 'conflict') {
      conflictAt = Date.now();
      if (conflictAt - conflictToldAt < CONFLICT_TELL_MS) return;
      conflictToldAt = conflictAt;
      log.error('another process polls this bot: stop it, or give this one a bot of its own; updates wait until then', {
        error,
      });
    } else if (isNew && kind === 'webhook') {
      log.error('a webhook was set for this bot, so Telegram refuses polls; updates go there', { host: webhookHost });
    } else if (isNew) {
      log.warn('updates do not come in', { trouble: kind, failure: classify(error), error });
    }
  };

  /** Telegram refuses a poll for two reasons: somebody else polls, or the updates go to a webhook. */
  const explainConflict = async (): Promise<'conflict' | 'webhook'> => {
    // Not known: then it is said with the next refusal.
    const { url = '' } = await api.getWebhookInfo(signal).catch(() => ({ url: '' }));
    webhookHost = hostOf(url);
    return url === '' ? 'conflict' : 'webhook';
  };

  /** Sorts a failure and waits. Throws when no later try can succeed. */
  const cope = async (error: unknown, otherwise: Trouble): Promise<void> => {
    if (stop.signal.aborted) return;
    const code = readErrorCode(error);
    if (code === 401 || code === 404) throw createTokenError(code, error);
    report(code === 409 ? await explainConflict() : otherwise, error);
    const wait = backoffMs(failures, code === 409 ? CONFLICT_BACKOFF_MS : BACKOFF_BASE_MS, BACKOFF_MAX_MS);
    failures += 1;
    await sleep(wait, stop.signal);
  };

  const identify = async (): Promise<BotIdentity | null> => {
    while (!stop.signal.aborted) {
      try {
        const { id, username } = await api.getMe(signal);
        return { id, username };
      } catch (error) {
        await cope(error, 'network');
      }
    }
    return null;
  };

  const poll = async (offset: number): Promise<readonly unknown[]> => {
    // After a start and after trouble the first poll does not wait, so that everybody knows at once whether updates come in.
    const timeout = trouble === 'none' ? POLL_SECONDS : 0;
    const updates: unknown = await api.getUpdates({ offset, timeout, allowed_updates: ALLOWED_UPDATES }, signal);
    if (!Array.isArray(updates)) throw new Error('getUpdates answered something that is no list');
    return updates;
  };

  const loop = async (): Promise<void> => {
    const bot = await identify();
    if (!bot) return;
    let isFree = false;
    let offset = 0;
    while (!stop.signal.aborted) {
      let batch: readonly unknown[];
      try {
        if (!isFree) await removeWebhook(api, log, signal);
        isFree = true;
        batch = await poll(offset);
        lastPollAt = Date.now();
      } catch (error) {
        await cope(error, 'network');
        continue;
      }
      try {
        if (batch.length > 0) await admit(batch.map((raw) => decode(raw, bot)));
      } catch (error) {
        await cope(error, 'admission');
        continue;
      }
      if (trouble !== 'none') log.info('updates come in', { bot: bot.username });
      trouble = 'none';
      failures = 0;
      const next = nextOffset(batch, offset);
      // Updates without a usable id cannot be confirmed: do not ask for them in a tight loop.
      if (next === null) await sleep(1_000, stop.signal);
      offset = next ?? Math.max(offset, 1);
    }
  };

  const ended = loop();
  // Whoever composes the service awaits `ended` too; this keeps an early failure from being unhandled meanwhile.
  ended.catch(() => undefined);
  return {
    ended,
    problem: () => {
      if (Date.now() - conflictAt < CONFLICT_LINGER_MS) return `Telegram: ${PROBLEMS.conflict}`;
      if (trouble === 'webhook') return `Telegram: ${say('WEBHOOK_TAKEN', { host: webhookHost })}`;
      if (trouble !== 'none') return `Telegram: ${PROBLEMS[trouble]}`;
      return Date.now() - lastPollAt > STALE_MS ? 'Telegram: the last poll is too long ago' : null;
    },
    close: async () => {
      stop.abort();
      await ended.catch(() => undefined);
    },
  };
}

const PROBLEMS: Readonly<Record<Exclude<Trouble, 'none' | 'webhook'>, string>> = {
  starting: 'not polled yet',
  conflict: 'another process polls this bot',
  network: 'not reachable',
  admission: 'updates cannot be admitted',
};

/**
 * The offset after a batch: one past its highest id. It follows the newest batch even downwards, because Telegram may
 * restart its ids after a quiet week. Null when no id in it is usable.
 */
export function nextOffset(batch: readonly unknown[], offset: number): number | null {
  const ids = batch.flatMap((update) =>
    typeof update === 'object' && update !== null && 'update_id' in update && Number.isSafeInteger(update.update_id)
      ? [Number(update.update_id)]
      : [],
  );
  if (batch.length === 0) return offset;
  return ids.length === 0 ? null : Math.max(...ids) + 1;
}

/**
 * Ends a webhook, or Telegram refuses every poll. Only once, after the start: gateways of this installation that receive by
 * webhook keep this one from polling, so what was left behind is nobody's. One that is set later is somebody's on purpose.
 */
async function removeWebhook(api: TelegramApi, log: Log, signal: ApiSignal): Promise<void> {
  const { url = '' } = await api.getWebhookInfo(signal).catch((error: unknown) => {
    // A server without webhooks refuses the question, and has none to end. If there is one all the same, polls say so.
    if (classify(error).kind === 'rejected') return { url: '' };
    throw error;
  });
  if (url === '') return;
  await api.deleteWebhook({}, signal);
  log.warn('the webhook is removed: this gateway polls', { was: hostOf(url) });
}
