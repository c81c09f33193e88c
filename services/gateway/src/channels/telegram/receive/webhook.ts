import { say, sayError } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { computeBackoffMs, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { WebhookInfo } from 'grammy/types';
import type { IncomingUpdate, ChannelListener } from '../../channel.ts';
import { createUpdateBatcher } from '../../http/batches.ts';
import { createTokenError, getHost, toApiSignal, type TelegramApi } from '../client.ts';
import { decodeUpdate } from './decode.ts';
import { classifyFailure, readErrorCode } from '../failure.ts';
import { ALLOWED_UPDATES } from './update.ts';
import type { WebhookServer } from './webhook-server.ts';

/*
 * getMe → updates are admitted → setWebhook (the last gateway to start wins) → getWebhookInfo every minute:
 * own address and all update kinds: nothing to do
 * removed or incomplete: set again
 * another address: left there, since two gateways that take it from each other would share messages at random
 *
 * The webhook stays set when a gateway stops: other gateways continue, and otherwise updates wait at Telegram.
 */

/** The webhook's address, secret and server. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
  readonly server: WebhookServer;
}

const CHECK_EVERY_MS = MINUTE_MS;
/** Without an answer of Telegram for this long the webhook's state is unknown. */
const STALE_MS = 5 * MINUTE_MS;
/** Telegram's default for parallel webhook requests. */
const MAX_CONNECTIONS = 40;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 30_000;

type WebhookTrouble =
  | { readonly kind: 'none' | 'starting' | 'network' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'taken'; readonly host: string };

export interface WebhookDeps {
  readonly api: TelegramApi;
  readonly log: Log;
  readonly admit: (updates: readonly IncomingUpdate[]) => Promise<void>;
  readonly target: WebhookEndpoint;
  readonly checkEveryMs?: number;
}

/** Receives updates through the server, and keeps the webhook registered until closed. */
export class WebhookListener implements ChannelListener {
  readonly ended: Promise<void>;
  readonly #deps: WebhookDeps;
  readonly #host: string;
  readonly #stop = new AbortController();
  readonly #signal = toApiSignal(this.#stop.signal);
  #trouble: WebhookTrouble = { kind: 'starting' };
  #answeredAt = Date.now();
  /** The time of the newest failed delivery that Telegram reported, in seconds. */
  #failedAt = 0;
  #detach = (): void => undefined;
  /** The requested update kinds that the server knows; older servers drop the others. */
  #needed: readonly string[] = [];

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
    this.#host = getHost(deps.target.url);
    this.ended = this.#loop();
    // The service awaits `ended` too; this prevents an unhandled rejection meanwhile.
    this.ended.catch(() => undefined);
  }

  problem(): string | null {
    const trouble = this.#trouble;
    switch (trouble.kind) {
      case 'none':
        return Date.now() - this.#answeredAt > STALE_MS ? say('gateway.telegram-away') : null;
      case 'starting':
        return say('gateway.telegram-registering');
      case 'network':
        return say('gateway.telegram-network');
      case 'refused':
        return `Telegram: ${sayError('WEBHOOK_REFUSED', { host: this.#host, detail: trouble.detail })}`;
      case 'taken':
        return `Telegram: ${sayError('WEBHOOK_TAKEN', { host: trouble.host })}`;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#detach();
    await this.ended.catch(() => undefined);
  }

  async #loop(): Promise<void> {
    const { api, admit, target, checkEveryMs = CHECK_EVERY_MS } = this.#deps;
    const { signal } = this.#stop;
    const bot = await this.#retry(() => api.getMe(this.#signal));
    if (!bot) return;
    // An update without an id goes first. Across gateways Telegram waits for the 200 before it sends a chat's next message.
    const add = createUpdateBatcher(admit, ({ updateId }) => Number(updateId ?? 0));
    // Attached before registration, since an earlier registration may deliver updates already.
    if (!signal.aborted) this.#detach = target.server.attach((update) => add([decodeUpdate(update, bot)]));
    await this.#retry(() => this.#takeOver());
    while (!signal.aborted) {
      await sleep(checkEveryMs, signal);
      await this.#retry(() => this.#check());
    }
  }

  /** Repeats a call until it works or the gateway stops. Throws when retrying cannot help. */
  async #retry<T>(call: () => Promise<T>): Promise<T | null> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const result = await call();
        this.#answeredAt = Date.now();
        return result;
      } catch (error) {
        if (signal.aborted) return null;
        const code = readErrorCode(error);
        if (code === 401 || code === 404) throw createTokenError(code, error);
        const failure = classifyFailure(error);
        // A registered webhook works while Telegram's API is away; `#answeredAt` limits for how long.
        if (failure.kind === 'rejected') this.#become({ kind: 'refused', detail: failure.detail }, error);
        else if (this.#trouble.kind !== 'none') this.#become({ kind: 'network' }, error);
        const waitMs = failure.kind === 'wait' ? failure.retryAfterMs : 0;
        await sleep(Math.max(waitMs, computeBackoffMs(failures, BACKOFF_BASE_MS, BACKOFF_MAX_MS)), signal);
      }
    }
    return null;
  }

  async #takeOver(): Promise<void> {
    const { api, log, target } = this.#deps;
    const { url } = await api.getWebhookInfo(this.#signal);
    if (url && !isSameAddress(url, target.url))
      log.warn('the webhook was somewhere else', { was: getHost(url), now: this.#host });
    await this.#register();
  }

  async #check(): Promise<void> {
    const { api, log, target } = this.#deps;
    const info = await api.getWebhookInfo(this.#signal);
    this.#reportFailure(info);
    const { url = '', allowed_updates: allowed = [] } = info;
    if (url !== '' && !isSameAddress(url, target.url)) return this.#become({ kind: 'taken', host: getHost(url) }, null);
    const known: readonly string[] = allowed;
    const isComplete = this.#needed.every((kind) => known.includes(kind));
    if (url !== '' && isComplete) return this.#become({ kind: 'none' }, null);
    log.warn('the webhook was removed or changed, it is set again', { host: this.#host, removed: url === '' });
    return this.#register();
  }

  async #register(): Promise<void> {
    let known = await this.#set();
    // A kind that is missing twice is unknown to the server; missing once, another program may have changed the webhook.
    if (ALLOWED_UPDATES.some((kind) => !known.includes(kind))) known = [...known, ...(await this.#set())];
    this.#needed = ALLOWED_UPDATES.filter((kind) => known.includes(kind));
    this.#become({ kind: 'none' }, null);
  }

  /** Sets the webhook and returns the update kinds that Telegram confirms. */
  async #set(): Promise<readonly string[]> {
    const { api, target } = this.#deps;
    const options = { secret_token: target.secret, allowed_updates: ALLOWED_UPDATES, max_connections: MAX_CONNECTIONS };
    await api.setWebhook(target.url, options, this.#signal);
    return (await api.getWebhookInfo(this.#signal)).allowed_updates ?? [];
  }

  #become(next: WebhookTrouble, error: unknown): void {
    const { log } = this.#deps;
    const host = this.#host;
    const before = this.#trouble.kind;
    this.#trouble = next;
    if (next.kind === before) return;
    if (next.kind === 'none') log.info('updates come in by webhook', { host });
    else if (next.kind === 'taken')
      log.error('Telegram sends updates elsewhere now', { to: next.host, instead: host, before });
    else if (next.kind === 'refused') log.error('Telegram refuses the webhook', { host, detail: next.detail });
    else log.warn('webhook not checked', { failure: classifyFailure(error), error });
  }

  #reportFailure(info: WebhookInfo): void {
    const { last_error_date: at = 0, last_error_message: detail, pending_update_count: pending } = info;
    if (at <= this.#failedAt) return;
    this.#failedAt = at;
    this.#deps.log.warn('Telegram could not deliver an update', {
      at: new Date(at * 1_000).toISOString(),
      detail,
      pending,
    });
  }
}

/** Compares addresses independent of their spelling. */
function isSameAddress(left: string, right: string): boolean {
  return URL.canParse(left) && new URL(left).href === new URL(right).href;
}
