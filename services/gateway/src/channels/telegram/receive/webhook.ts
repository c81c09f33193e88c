import { say } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import { backoffMs, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { WebhookInfo } from 'grammy/types';
import type { Incoming, Listening } from '../../channel.ts';
import { createTokenError, hostOf, toApiSignal, type TelegramApi } from '../client.ts';
import { decode } from './decode.ts';
import { classify, readErrorCode } from '../failure.ts';
import { ALLOWED_UPDATES } from './update.ts';
import { createBatches } from './webhook-batches.ts';
import type { WebhookServer } from './webhook-server.ts';

/*
 * getMe → updates are admitted → setWebhook (whoever starts last wins) → getWebhookInfo once a minute:
 *   ours, with all we need     nothing to do; a newer release may ask for more kinds of updates
 *   gone, or something missing set again
 *   at another address         left there: two that take it from each other would share the messages at random
 * The webhook stays when a gateway stops: its peers go on, and updates wait at Telegram otherwise.
 */

/** Where Telegram calls, and the server there. */
export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
  readonly server: WebhookServer;
}

const CHECK_EVERY_MS = MINUTE_MS;
/** Without an answer of Telegram for this long nobody knows whether updates come in. */
const STALE_MS = 5 * MINUTE_MS;
/** Requests that Telegram may have open at once: its own default. */
const MAX_CONNECTIONS = 40;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;

type Trouble =
  | { readonly kind: 'none' | 'starting' | 'network' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'taken'; readonly host: string };

/** Receives updates through the server and keeps the webhook registered until closed. */
export function startWebhook(deps: {
  readonly api: TelegramApi;
  readonly log: Log;
  readonly admit: (updates: readonly Incoming[]) => Promise<void>;
  readonly target: WebhookTarget;
  readonly checkEveryMs?: number;
}): Listening {
  const { api, log, target, checkEveryMs = CHECK_EVERY_MS } = deps;
  const host = hostOf(target.url);
  const stop = new AbortController();
  const signal = toApiSignal(stop.signal);
  const add = createBatches(deps.admit);
  let trouble: Trouble = { kind: 'starting' };
  let answeredAt = Date.now();
  let failedAt = 0;
  let detach = (): void => undefined;
  /** Kinds of updates that we asked for and the server knows: an older one of somebody's own drops the others. */
  let needed: readonly string[] = [];

  const become = (next: Trouble, error: unknown): void => {
    const isNew = next.kind !== trouble.kind;
    const before = trouble.kind;
    trouble = next;
    if (!isNew) return;
    if (next.kind === 'none') log.info('updates come in by webhook', { host });
    else if (next.kind === 'taken')
      log.error('Telegram sends updates elsewhere now', { to: next.host, instead: host, before });
    else if (next.kind === 'refused') log.error('Telegram refuses the webhook', { host, detail: next.detail });
    else log.warn('webhook not checked', { failure: classify(error), error });
  };

  /** Repeats a call until it works or we stop. Throws when no later try can succeed. */
  const retryTransient = async <T>(call: () => Promise<T>): Promise<T | null> => {
    for (let failures = 0; !stop.signal.aborted; failures += 1) {
      try {
        const result = await call();
        answeredAt = Date.now();
        return result;
      } catch (error) {
        if (stop.signal.aborted) return null;
        const code = readErrorCode(error);
        if (code === 401 || code === 404) throw createTokenError(code, error);
        const failure = classify(error);
        // A webhook that was registered goes on while Telegram's API is away: `answeredAt` tells when that is too long.
        if (failure.kind === 'rejected') become({ kind: 'refused', detail: failure.detail }, error);
        else if (trouble.kind !== 'none') become({ kind: 'network' }, error);
        const waitMs = failure.kind === 'wait' ? failure.retryAfterMs : 0;
        await sleep(Math.max(waitMs, backoffMs(failures, BACKOFF_BASE_MS, BACKOFF_MAX_MS)), stop.signal);
      }
    }
    return null;
  };

  const register = async (): Promise<void> => {
    await api.setWebhook(
      target.url,
      { secret_token: target.secret, allowed_updates: ALLOWED_UPDATES, max_connections: MAX_CONNECTIONS },
      signal,
    );
    const { allowed_updates: known = [] } = await api.getWebhookInfo(signal);
    needed = ALLOWED_UPDATES.filter((kind) => (known as readonly string[]).includes(kind));
    become({ kind: 'none' }, null);
  };

  const takeOver = async (): Promise<void> => {
    const { url } = await api.getWebhookInfo(signal);
    if (url && !isSame(url, target.url)) log.warn('the webhook was somewhere else', { was: hostOf(url), now: host });
    await register();
  };

  const check = async (): Promise<void> => {
    const info = await api.getWebhookInfo(signal);
    tellFailure(info);
    const { url = '', allowed_updates: allowed = [] } = info;
    if (url !== '' && !isSame(url, target.url)) return become({ kind: 'taken', host: hostOf(url) }, null);
    const isComplete = needed.every((kind) => (allowed as readonly string[]).includes(kind));
    if (url !== '' && isComplete) return become({ kind: 'none' }, null);
    log.warn('the webhook was removed or changed, it is set again', { host, removed: url === '' });
    return register();
  };

  const tellFailure = (info: WebhookInfo): void => {
    const { last_error_date: at = 0, last_error_message: detail, pending_update_count: pending } = info;
    if (at <= failedAt) return;
    failedAt = at;
    log.warn('Telegram could not deliver an update', { at: new Date(at * 1_000).toISOString(), detail, pending });
  };

  const loop = async (): Promise<void> => {
    const bot = await retryTransient(() => api.getMe(signal));
    if (!bot) return;
    // Before it is registered: what was registered earlier may bring updates already.
    if (!stop.signal.aborted) detach = target.server.attach((update) => add(decode(update, bot)));
    await retryTransient(takeOver);
    while (!stop.signal.aborted) {
      await sleep(checkEveryMs, stop.signal);
      await retryTransient(check);
    }
  };

  const ended = loop();
  // Whoever composes the service awaits `ended` too; this keeps an early failure from being unhandled meanwhile.
  ended.catch(() => undefined);
  return {
    ended,
    problem: () => {
      const isStale = Date.now() - answeredAt > STALE_MS;
      switch (trouble.kind) {
        case 'none':
          return isStale ? 'Telegram: not reachable for minutes' : null;
        case 'starting':
          return 'Telegram: the webhook is not registered yet';
        case 'network':
          return 'Telegram: not reachable';
        case 'refused':
          return `Telegram: ${say('WEBHOOK_REFUSED', { host, detail: trouble.detail })}`;
        case 'taken':
          return `Telegram: ${say('WEBHOOK_TAKEN', { host: trouble.host })}`;
      }
    },
    close: async () => {
      stop.abort();
      detach();
      await ended.catch(() => undefined);
    },
  };
}

/** Written differently, an address is still the same. */
function isSame(left: string, right: string): boolean {
  return URL.canParse(left) && new URL(left).href === new URL(right).href;
}
