import { runInLanguage } from '@signalbox/messages/language';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { toMovedKey } from '../channels/chat-key.ts';
import type { DeliveryRequest } from '@signalbox/contracts/conversation/topics';
import * as chats from './outgoing.ts';
import { isTransient, type Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { newId, newTraceId } from '@signalbox/contracts/ids';
import { extendLeases, Leases } from '@signalbox/store/leases';
import { runInBackground, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { ROOT_SPAN_KEY, type Tracing } from '@signalbox/platform/tracing/tracing';
import { computeBackoffMs, sleep } from '@signalbox/contracts/time';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Channel } from '../channels/channel.ts';
import type { Drafts } from './drafts.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Throttle } from './throttle.ts';
import { createRowSender, type SendOutcome, type RowSender } from './send-row.ts';

/*
 * One chat, from wake-up to release:
 *
 * claim (chat locked, epoch + 1, first row marked as being sent)
 * → send the row → next (result written, next row marked) → send → …
 * → released when no row is left
 * → a long wait (throttle or channel): released with not_before; the sweeper wakes the chat
 * → woken as urgent: its next send overtakes those of other chats, until its next row is none of the runtime
 * → 403: parked · new chat id: moved · epoch lost: dropped, the new holder continues
 *
 * Only the row being sent is marked, so a crash leaves at most one message per chat with an unknown outcome.
 */

/** Time without heartbeat after which another gateway may take a chat over. */
const LEASE_MS = 8_000;
const HEARTBEAT_MS = 2_000;
const SLOT_MS = 1_000;
/** Maximum wait for the throttle; for a longer wait the chat is released. */
const MAX_WAIT_MS = 1_500;
/** Maximum number of urgent chats, which are served besides the slots; more wait in the stream. */
const MAX_URGENT = 200;
/** Number of attempts to write a result while Postgres is unavailable. */
const SETTLE_TRIES = 20;

export interface DelivererDeps {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly throttle: Throttle;
  readonly cipher: SecretSealer;
  readonly challenges: ChallengeStore;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
  readonly drafts: Pick<Drafts, 'waitForDraftEnd' | 'isShowing'> | null;
  readonly maxChats: number;
  readonly drainMs: number;
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
}

const LEASE = { leaseMs: LEASE_MS, slotMs: SLOT_MS };

/** Delivers outbox rows, chat by chat. `close` waits for running sends, for `drainMs` at most, and releases their chats. */
export class Deliverer implements Closable {
  readonly #deps: DelivererDeps;
  readonly #gateway = newId('gw');
  readonly #sender: RowSender;
  readonly #leased: Leases<Pick<chats.LeasedChat, 'epoch'> & { readonly lost: () => void }>;
  /** Every running delivery, from the claim of its chat on; `close` waits for all of them. */
  readonly #running = new Set<Promise<void>>();
  /** Chats that were woken as urgent, until a query has looked for what they were woken for. */
  readonly #urgent = new Set<string>();
  readonly #stop = new AbortController();

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#sender = createRowSender(deps);
    this.#leased = new Leases({
      name: 'chats',
      everyMs: HEARTBEAT_MS,
      log: deps.log,
      heartbeat: (held) => extendLeases(deps.pool, 'chat_beat', { holder: this.#gateway, leaseMs: LEASE_MS }, held),
    });
  }

  isSending(chatKey: string): boolean {
    return this.#leased.get(chatKey) !== undefined;
  }

  /** Resolves once the chat was claimed or the claim failed; `work` resolves at the end of the delivery. */
  handle(delivery: DeliveryRequest): Promise<{ readonly work: Promise<void> }> {
    const claimed = this.#claim(delivery);
    // The caller handles failures, through `claimed`.
    const whole = claimed.then(({ work }) => work).catch(() => undefined);
    this.#running.add(whole);
    void whole.then(() => this.#running.delete(whole));
    return claimed;
  }

  /** Delivers to a chat without a wake-up from the stream, unless too many chats are already served. */
  deliverHere(delivery: DeliveryRequest): void {
    const isFull = delivery.kind === 'send' && this.#leased.size >= this.#deps.maxChats;
    if (isFull || this.#stop.signal.aborted) return;
    const work = this.handle(delivery).then((claimed) => claimed.work);
    runInBackground(this.#deps.log, 'delivery', work);
  }

  /** Delivers to a chat before others: it needs no free slot, and its message takes the next send. */
  deliverFirst({ chatKey, traceId }: Pick<DeliveryRequest, 'chatKey' | 'traceId'>): void {
    const { log, wake } = this.#deps;
    if (this.#stop.signal.aborted || this.#urgent.size >= MAX_URGENT)
      return runInBackground(log, 'delivery', wake([chatKey], traceId));
    this.#urgent.add(chatKey);
    if (this.isSending(chatKey)) return;
    const claimed = this.handle({ kind: 'send', chatKey, traceId }).finally(() => {
      if (!this.isSending(chatKey)) this.#urgent.delete(chatKey);
    });
    runInBackground(
      log,
      'delivery',
      claimed.then(({ work }) => work),
    );
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.race([Promise.allSettled(this.#running), sleep(this.#deps.drainMs)]);
    await this.#leased.close();
  }

  async #claim(delivery: DeliveryRequest): Promise<{ work: Promise<void> }> {
    const { pool } = this.#deps;
    const { chatKey } = delivery;
    if (delivery.kind === 'typing') return { work: this.#showTyping(chatKey) };
    if (this.#stop.signal.aborted) throw new Error('this gateway is stopping: the entry is for another one');
    const claimed = await this.#withToken(chatKey, 'try', (pick) =>
      chats.claimChat(pool, chatKey, { ...LEASE, gateway: this.#gateway, pick }),
    );
    if (claimed.state === 'moved') return this.#claim({ ...delivery, chatKey: claimed.chatKey });
    return claimed.state === 'none' ? { work: Promise.resolve() } : { work: this.#serve(claimed.chat, claimed.item) };
  }

  /** Takes a send from the throttle if possible, and gives it back when the query found no row to send. */
  async #withToken<T extends { readonly state: string; readonly item?: chats.OutboxItem | null }>(
    chatKey: string,
    token: Token,
    query: (pick: boolean) => Promise<T>,
  ): Promise<T & { readonly picked: boolean }> {
    const { throttle, channel } = this.#deps;
    const kind = channel.throttleOf(chatKey);
    // Removed before the query: who makes the chat urgent from now on may have put a row that the query does not see.
    const isUrgent = this.#urgent.delete(chatKey);
    const picked = token === 'taken' || (token === 'try' && throttle.tryTake(chatKey, kind, isUrgent));
    let isUsed = false;
    try {
      const found = await query(picked);
      isUsed = found.state === 'held' && Boolean(found.item);
      const mayHaveMore = found.state === 'held' && (found.item?.priority ?? 0) <= SEND_PRIORITY.control;
      if (isUrgent && mayHaveMore) this.#urgent.add(chatKey);
      return { ...found, picked };
    } finally {
      if (picked && !isUsed) throttle.giveBack(chatKey, kind, 'all');
    }
  }

  async #serve(chat: chats.LeasedChat, first: chats.OutboxItem | null): Promise<void> {
    const { chatKey } = chat;
    const lost = new AbortController();
    const release = this.#leased.hold(chatKey, { epoch: chat.epoch, lost: () => lost.abort() });
    const signal = AbortSignal.any([lost.signal, this.#stop.signal]);
    try {
      let item = first;
      for (;;) {
        const step = item
          ? await this.#sendItem(chat, item, signal)
          : { result: null, pauseMs: await this.#takeSend(chatKey, MAX_WAIT_MS, signal), isTaken: true };
        if (step === 'left') return;
        const next = await this.#takeNext(chat, step, signal);
        if (next === 'left') return;
        item = next;
      }
    } finally {
      release();
      // Woken after the last query had begun.
      if (this.#urgent.delete(chatKey)) this.deliverFirst({ chatKey, traceId: newTraceId() });
    }
  }

  /** Sends a row. Returns `left` when this gateway no longer serves the chat. */
  async #sendItem(chat: chats.LeasedChat, item: chats.OutboxItem, signal: AbortSignal): Promise<SendStep | 'left'> {
    const { pool, channel, throttle, log, metrics, tracing, drafts } = this.#deps;
    const { chatKey } = chat;
    const itemLog = log.child({ traceId: item.traceId, outboxId: item.id, chatKey });
    const [startedAt, from] = [performance.now(), Date.now()];
    const note = (delivery: chats.SendProgress): Promise<boolean> => chats.storeProgress(pool, chat, item.id, delivery);
    // An edit does not end a draft, so only new messages wait for the draft's end.
    if (item.base === null || item.body.anew) await drafts?.waitForDraftEnd(chatKey);
    const isUrgent = item.priority <= SEND_PRIORITY.control;
    const waitForSend = (): Promise<unknown> => this.#takeSend(chatKey, Number.POSITIVE_INFINITY, signal, isUrgent);
    const sending = (): Promise<SendOutcome> => this.#sender.send(chatKey, item, { signal, note, waitForSend });
    const outcome = await runInLanguage(item.body.language, sending);
    const durationMs = Math.round(performance.now() - startedAt);
    reportSend({ log: itemLog, metrics, outcome, item, chatKey, durationMs });
    traceSend(tracing, { channel: channel.name, outcome, item, from, until: from + durationMs });
    switch (outcome.kind) {
      case 'lost':
        return 'left';
      case 'park':
        // The channel certainly refused the message, so a later delivery may send the row as if for the first time.
        if (!(await this.#retry(signal, () => note(outcome.delivery)))) return 'left';
        await this.#retry(signal, () => chats.parkChat(pool, chatKey, outcome.reason));
        return 'left';
      case 'move':
        await this.#retry(signal, () =>
          chats.takeNextRow(pool, chat, { ...LEASE, result: outcome.result, pauseMs: 0, pick: false }),
        );
        await this.#retry(signal, () => chats.moveChat(pool, chatKey, outcome.chatKey));
        await this.#deps.wake([toMovedKey(chatKey, outcome.chatKey)], item.traceId);
        return 'left';
      case 'settle':
        if (outcome.edited) throttle.giveBack(chatKey, channel.throttleOf(chatKey), 'chat');
        return outcome;
    }
  }

  async #takeNext(
    chat: chats.LeasedChat,
    step: SendStep,
    signal: AbortSignal,
  ): Promise<chats.OutboxItem | null | 'left'> {
    const { pool, log, wake } = this.#deps;
    const { chatKey } = chat;
    const isStopping = this.#stop.signal.aborted;
    const pauseMs = isStopping ? (step.pauseMs ?? 0) : step.pauseMs;
    const token = step.isTaken && step.pauseMs === null ? 'taken' : 'try';
    const next = await this.#withToken(chatKey, pauseMs === null ? token : 'none', (pick) =>
      this.#retry(signal, () => chats.takeNextRow(pool, chat, { ...LEASE, result: step.result, pauseMs, pick })),
    );
    if (next.state === 'lost') log.warn('chat lost to another gateway', { chatKey });
    // At shutdown, another gateway is woken for the remaining rows.
    if (next.state === 'released' && this.#stop.signal.aborted) await wake([chatKey], newTraceId());
    if (next.state !== 'held') return 'left';
    // The throttle granted a send but no row may be sent yet, because edits of one slot need an interval.
    if (next.picked && !next.item) await sleep(SLOT_MS / 4, signal);
    return next.item;
  }

  /** Waits for a send and takes it. When the wait is too long to keep the chat, returns the wait as a pause. */
  #takeSend(chatKey: string, maxWaitMs: number, signal: AbortSignal, isUrgent = false): Promise<number | null> {
    const { throttle, channel } = this.#deps;
    return throttle.waitAndTake(chatKey, channel.throttleOf(chatKey), {
      isUrgent: () => isUrgent || this.#urgent.has(chatKey),
      maxWaitMs,
      signal,
    });
  }

  /** Repeats a write while Postgres is unavailable, so that a message that was sent is not sent again. */
  async #retry<T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        if (!isTransient(error) || attempt >= SETTLE_TRIES || signal.aborted) throw error;
        this.#deps.log.warn('delivery result not written, trying again', { attempt, error });
        await sleep(computeBackoffMs(attempt, 100, 3_000), signal);
      }
    }
  }

  async #showTyping(chatKey: string): Promise<void> {
    const { drafts, throttle, channel } = this.#deps;
    // A message or a draft already shows that work is in progress.
    if (this.isSending(chatKey) || drafts?.isShowing(chatKey) || this.#stop.signal.aborted || !throttle.tryTakeSign())
      return;
    await channel.typing?.(chatKey);
  }
}

interface SendStep {
  readonly result: chats.RowResult | null;
  readonly pauseMs: number | null;
  /** True when the send of the next row is already taken from the throttle. */
  readonly isTaken?: boolean;
}

type Token = 'none' | 'try' | 'taken';

function reportSend(options: {
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly outcome: SendOutcome;
  readonly item: chats.OutboxItem;
  readonly chatKey: string;
  readonly durationMs: number;
}): void {
  const { log, metrics, outcome, item, chatKey, durationMs } = options;
  if (outcome.kind !== 'settle') {
    metrics.sends.add({ result: outcome.kind });
    log.warn('message not sent', { outcome: outcome.kind, detail: outcome.kind === 'park' ? outcome.reason : null });
    return;
  }
  const { status, error } = outcome.result;
  const result = outcome.edited ? 'edited' : status;
  metrics.sends.add({ result });
  if (status === 'sent') {
    metrics.latency.observe({ result }, item.ageMs + durationMs);
    log.info('message sent', { result, repeated: item.ambiguous, attempts: item.attempts, durationMs });
  } else if (status === 'failed') {
    const refused = new AppError('DELIVERY_REFUSED', { chat: chatKey, detail: error ?? 'no reason' });
    log.error('message given up, see dead letters', { error: refused, attempts: item.attempts });
  } else {
    log.warn('message waits', { error, pauseMs: outcome.pauseMs, attempts: item.attempts });
  }
}

/** Records the trace span of a send below the turn or admission that caused the message. */
function traceSend(
  tracing: Tracing,
  sent: {
    readonly channel: string;
    readonly outcome: SendOutcome;
    readonly item: chats.OutboxItem;
    readonly from: number;
    readonly until: number;
  },
): void {
  const { channel, outcome, item, from, until } = sent;
  const result = outcome.kind === 'settle' ? outcome.result.status : outcome.kind;
  tracing.record({
    name: 'deliver',
    kind: 'client',
    traceId: item.traceId,
    parent: ROOT_SPAN_KEY,
    from,
    until,
    errorCode: result === 'sent' ? null : result,
    attributes: {
      'signalbox.channel': channel,
      'signalbox.outcome': outcome.kind === 'settle' && outcome.edited ? 'edited' : result,
      'signalbox.attempts': item.attempts,
      'signalbox.repeated': item.ambiguous,
      'signalbox.waited_ms': item.ageMs,
    },
  });
}
