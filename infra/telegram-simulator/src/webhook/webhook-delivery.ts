import { setTimeout as delay } from 'node:timers/promises';
import type { QueuedUpdate, Webhook } from '../store/event.ts';
import { postUpdate } from './webhook-post.ts';
import type { Store } from '../store/store.ts';

/** Much shorter than Telegram's delays, for quick tests. */
const RETRY_MS = 20;
const MAX_RETRY_MS = 1_000;

/** Posts updates to the webhook until accepted, in order per chat or person. The signal stops it; unfinished updates stay pending. */
export function startWebhookDelivery(store: Store, closing: AbortSignal): void {
  let round = startRound(store, store.state.webhook, closing);
  store.onCommit((event) => {
    if (event.kind === 'update') round?.add(event.item);
    if (event.kind !== 'webhook') return;
    round?.stop();
    round = startRound(store, event.webhook, closing);
  });
}

function startRound(store: Store, webhook: Webhook | null, closing: AbortSignal): Round | null {
  return webhook && !closing.aborted ? new Round(store, webhook, closing) : null;
}

/** Delivery to one webhook, until it is removed. */
class Round {
  readonly #store: Store;
  readonly #webhook: Webhook;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  /** Unsent updates by delivery line (see nameLine), oldest first. */
  readonly #lines = new Map<string, QueuedUpdate[]>();
  #freeConnections: number;
  /** Deliveries that wait for a free connection, in order of arrival. */
  readonly #waiting: (() => void)[] = [];

  constructor(store: Store, webhook: Webhook, closing: AbortSignal) {
    this.#store = store;
    this.#webhook = webhook;
    this.#signal = AbortSignal.any([this.#stopping.signal, closing]);
    this.#freeConnections = webhook.maxConnections;
    for (const item of store.state.updates.values()) this.add(item);
  }

  add(item: QueuedUpdate): void {
    const key = nameLine(item.update);
    const line = this.#lines.get(key);
    if (line) return void line.push(item);
    this.#lines.set(key, [item]);
    void this.#sendLine(key);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Never rejects; a failure causes a retry. */
  async #sendLine(key: string): Promise<void> {
    const line = this.#lines.get(key) ?? [];
    for (let item = line[0]; item && !this.#signal.aborted; item = line[0]) {
      await this.#sendUntilTaken(item);
      line.shift();
    }
    this.#lines.delete(key);
  }

  async #sendUntilTaken({ position, update }: QueuedUpdate): Promise<void> {
    const { settings, updates } = this.#store;
    for (let failures = 0; ; failures += 1) {
      const timeoutMs = settings.webhookTimeoutMs;
      const failure = await this.#connected(() =>
        postUpdate({ webhook: this.#webhook, update, timeoutMs, signal: this.#signal }),
      );
      // The store may be closed by now.
      if (this.#signal.aborted) return;
      if (failure === null) return updates.confirm(position);
      this.#store.webhookError = { date: Math.floor(Date.now() / 1000), message: failure.message };
      // Uses the webhook's Retry-After, else retries at once and then with growing delays, as Telegram does.
      const waitMs = failures === 0 ? 0 : Math.min(RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS);
      await delay(failure.retryAfterMs ?? waitMs, undefined, { signal: this.#signal }).catch(() => undefined);
    }
  }

  /** Runs work when one of the connections is free. */
  async #connected<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#freeConnections === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#freeConnections -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#freeConnections += 1;
    }
  }
}

/** Returns an update's delivery line: the chat for messages, the person for clicks. Lines are independent, as in Telegram. */
function nameLine(update: Readonly<Record<string, unknown>>): string {
  const click = update['callback_query'];
  if (click !== undefined) return `clicks of ${readId(click, 'from')}`;
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const family = kind === 'edited_message' ? 'message' : kind;
  return `${family} in ${readId(update[kind], 'chat')}`;
}

/** Injected updates may have any shape; those without an id share a line. */
function readId(value: unknown, field: 'from' | 'chat'): string {
  if (typeof value !== 'object' || value === null || !(field in value)) return '?';
  const owner: unknown = Reflect.get(value, field);
  return typeof owner === 'object' && owner !== null && 'id' in owner ? String(owner.id) : '?';
}
