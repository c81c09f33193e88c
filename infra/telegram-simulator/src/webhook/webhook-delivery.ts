import type { QueuedUpdate, Webhook } from '../store/event.ts';
import { findNextLine, nameLine, type UpdateLine } from './webhook-order.ts';
import { postUpdate, type WebhookFailure } from './webhook-post.ts';
import type { Store } from '../store/store.ts';

/**
 * Sends updates to the webhook as long as one is set: each until it is taken, in the order of its line, up to
 * `maxConnections` at once. The signal ends it; what is under way then stays pending.
 */
export function startWebhookDelivery(store: Store, closing: AbortSignal): void {
  let round = startRound(store, store.state.webhook, closing);
  store.onCommit((event) => {
    if (event.kind === 'update') round.add(event.item);
    if (event.kind === 'confirmed') round.remove(event.positions);
    if (event.kind !== 'webhook') return;
    round.stop();
    round = startRound(store, event.webhook, closing);
  });
}

interface Round {
  readonly add: (item: QueuedUpdate) => void;
  readonly remove: (positions: readonly number[]) => void;
  readonly stop: () => void;
}

const IDLE: Round = { add: () => undefined, remove: () => undefined, stop: () => undefined };

/** The delivery to one webhook, from its setting to its removal. */
function startRound(store: Store, webhook: Webhook | null, closing: AbortSignal): Round {
  if (!webhook || closing.aborted) return IDLE;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, closing]);
  const lines = new Map<string, UpdateLine>();
  const lineOf = new Map<number, UpdateLine>();
  let connections = 0;
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  function enqueue(item: QueuedUpdate): void {
    const key = nameLine(item.update);
    const line = lines.get(key) ?? { key, items: [], isBusy: false, failures: 0, wakeAtMs: 0 };
    lines.set(key, line);
    line.items.push(item);
    lineOf.set(item.position, line);
  }

  function dequeue(position: number): void {
    const line = lineOf.get(position);
    lineOf.delete(position);
    if (!line) return;
    const index = line.items.findIndex((item) => item.position === position);
    line.items.splice(index, 1);
    // The next update starts without the failures of the one before it.
    if (index === 0) Object.assign(line, { failures: 0, wakeAtMs: 0 });
    if (line.items.length === 0 && !line.isBusy) lines.delete(line.key);
  }

  /** Starts as much as may start now and sets the alarm for the rest. */
  function pump(target: Webhook): void {
    clearTimeout(timer);
    while (!signal.aborted && connections < target.maxConnections) {
      const { line, wakeAtMs } = findNextLine(lines.values(), Date.now());
      if (line) {
        void sendFirst(line, target);
        continue;
      }
      if (wakeAtMs < Infinity) timer = setTimeout(() => pump(target), Math.max(1, wakeAtMs - Date.now()));
      return;
    }
  }

  /** Never rejects: what goes wrong is a reason to try again. */
  async function sendFirst(line: UpdateLine, target: Webhook): Promise<void> {
    const [item] = line.items;
    if (!item) return;
    line.isBusy = true;
    connections += 1;
    const failure = await postUpdate({ webhook: target, update: item.update, timeoutMs: timeoutMs(), signal });
    // The store may be closed by now.
    if (signal.aborted) return;
    line.isBusy = false;
    connections -= 1;
    if (failure && lineOf.has(item.position)) delay(line, failure);
    else store.updates.confirm(item.position);
    if (line.items.length === 0) lines.delete(line.key);
    pump(target);
  }

  function delay(line: UpdateLine, failure: WebhookFailure): void {
    const nowMs = Date.now();
    store.webhookError = { date: Math.floor(nowMs / 1000), message: failure.message };
    const { webhookRetryMs, webhookMaxRetryMs } = store.settings;
    // As Telegram does: what the webhook asked for, else at once the first time, then ever later.
    const waitMs = line.failures === 0 ? 0 : Math.min(webhookRetryMs * 2 ** (line.failures - 1), webhookMaxRetryMs);
    line.wakeAtMs = nowMs + (failure.retryAfterMs ?? waitMs);
    line.failures += 1;
  }

  const timeoutMs = (): number => store.settings.webhookTimeoutMs;
  for (const item of store.state.updates.values()) enqueue(item);
  pump(webhook);
  return {
    add: (item) => {
      enqueue(item);
      pump(webhook);
    },
    remove: (positions) => positions.forEach(dequeue),
    stop: () => stopping.abort(),
  };
}
