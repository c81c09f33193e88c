import { movedKey } from '../channels/chat-key.ts';
import type { Delivery } from '@signalbox/contracts/conversation/topics';
import * as chats from './outgoing.ts';
import { isTransient, type Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import { background, type Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { backoffMs, sleep } from '@signalbox/contracts/time';
import type { Channel } from '../channels/channel.ts';
import type { Drafts } from './drafts.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Throttle } from './throttle.ts';
import { createRowSender, type Outcome } from './send-row.ts';

/*
 * One chat, from wake-up to release:
 *   begin (chat locked, epoch + 1, first row marked as being sent)
 *     → send the row → next (its result written, next row marked) → send → … → released when nothing is left
 *     → the pace or the channel asks for a long wait: released with not_before; the sweeper wakes it
 *     → 403: parked · new chat id: moved · epoch lost: dropped, whoever holds the chat goes on
 * Only the row that is being sent is marked, so a crash leaves at most one message per chat whose fate is open.
 */

/** A gateway that died is replaced after this time; beats extend it. */
const LEASE_MS = 8_000;
const BEAT_EVERY_MS = 2_000;
const SLOT_MS = 1_000;
/** Longer waits are not sat out while holding the chat. */
const HOLD_MS = 1_500;
/** How long results are written again while Postgres is away. */
const SETTLE_TRIES = 20;

export interface Deliverer extends Closable {
  /** For the consumer: resolves once the chat's lane has answered; `work` ends with the lane. */
  handle(delivery: Delivery): Promise<{ readonly work: Promise<void> }>;
  /** Takes over a chat without a wake-up from the stream, unless too many are being served. */
  deliverHere(delivery: Delivery): void;
  /** Whether messages go out to this chat now. */
  holds(chatKey: string): boolean;
}

export interface DelivererDeps {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly pace: Throttle;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly drafts: Pick<Drafts, 'makeWay' | 'shows'>;
  readonly maxChats: number;
  /** How long running sends may take when closing. */
  readonly drainMs: number;
  /** Tells whoever is free that a chat has something to deliver. */
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
}

interface Held {
  readonly chat: chats.LeasedChat;
  readonly lost: AbortController;
}

/** Delivers outbox rows, chat by chat. `close` lets running sends finish and gives their chats back. */
export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { pool, channel, pace, log, metrics, drafts } = deps;
  const gateway = newId('gw');
  const held = new Map<string, Held>();
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const sender = createRowSender({ channel, pace });
  const lane = { leaseMs: LEASE_MS, slotMs: SLOT_MS };

  const begin = async (delivery: Delivery): Promise<{ work: Promise<void> }> => {
    const { chatKey, traceId } = delivery;
    const idle = { work: Promise.resolve() };
    if (!channel.owns(chatKey)) {
      log.warn('no channel for this chat', { chatKey, traceId });
      return idle;
    }
    if (delivery.kind === 'typing') return { work: showTyping(chatKey) };
    if (stop.signal.aborted) throw new Error('this gateway is stopping: the entry is for another one');
    const kind = channel.throttleOf(chatKey);
    const pick = pace.tryTake(chatKey, kind);
    const begun = await chats.claimChat(pool, chatKey, { ...lane, gateway, pick }).catch((error: unknown) => {
      if (pick) pace.giveBack(chatKey, kind, 'all');
      throw error;
    });
    if (pick && (begun.state !== 'held' || !begun.item)) pace.giveBack(chatKey, kind, 'all');
    if (begun.state === 'moved') return begin({ ...delivery, chatKey: begun.chatKey });
    if (begun.state === 'none') return idle;
    return { work: serve(begun.chat, begun.item) };
  };

  const handle = (delivery: Delivery): Promise<{ work: Promise<void> }> => {
    const begun = begin(delivery);
    // Closing waits for it from the first look into the database on; whoever asked hears of failures.
    const whole = begun.then(({ work }) => work).catch(() => undefined);
    running.add(whole);
    void whole.then(() => running.delete(whole));
    return begun;
  };

  const serve = async (chat: chats.LeasedChat, first: chats.OutboxItem | null): Promise<void> => {
    const { chatKey } = chat;
    const lost = new AbortController();
    held.set(chatKey, { chat, lost });
    const signal = AbortSignal.any([lost.signal, stop.signal]);
    try {
      let item = first;
      for (;;) {
        const step = item
          ? await sendItem(chat, item, signal)
          : { result: null, pauseMs: await waitForThrottle(chatKey, signal) };
        if (step === 'left') return;
        const next = await goOn(chat, step, signal);
        if (next === 'left') return;
        item = next;
      }
    } finally {
      if (held.get(chatKey)?.chat === chat) held.delete(chatKey);
    }
  };

  /** Sends a row; `left` when the chat is no longer ours to go on with. */
  const sendItem = async (
    chat: chats.LeasedChat,
    item: chats.OutboxItem,
    signal: AbortSignal,
  ): Promise<Step | 'left'> => {
    const { chatKey } = chat;
    const itemLog = log.child({ traceId: item.traceId, outboxId: item.id, chatKey });
    const startedAt = performance.now();
    const note = (delivery: chats.Delivery): Promise<boolean> => chats.noteDelivery(pool, chat, item.id, delivery);
    // An edit takes no draft away, and no draft has to be gone before it.
    if (item.base === null) await drafts.makeWay(chatKey);
    const outcome = await sender.send(chatKey, item, { signal, note });
    const durationMs = Math.round(performance.now() - startedAt);
    report({ log: itemLog, metrics, outcome, item, chatKey, durationMs });
    switch (outcome.kind) {
      case 'lost':
        return 'left';
      case 'park':
        await retryTransient(signal, () => chats.parkChat(pool, chatKey, outcome.reason));
        return 'left';
      case 'move':
        await retryTransient(signal, () =>
          chats.nextOfChat(pool, chat, { ...lane, result: outcome.result, pauseMs: 0, pick: false }),
        );
        await retryTransient(signal, () => chats.moveChat(pool, chatKey, outcome.chatKey));
        await deps.wake([movedKey(chatKey, outcome.chatKey)], item.traceId);
        return 'left';
      case 'settle':
        if (outcome.edited) pace.giveBack(chatKey, channel.throttleOf(chatKey), 'chat');
        return outcome;
    }
  };

  /** Writes a result and takes the next row if one may go out now. Null: nothing may go out yet. */
  const goOn = async (
    chat: chats.LeasedChat,
    step: Step,
    signal: AbortSignal,
  ): Promise<chats.OutboxItem | null | 'left'> => {
    const { chatKey } = chat;
    const kind = channel.throttleOf(chatKey);
    const pauseMs = stop.signal.aborted ? (step.pauseMs ?? 0) : step.pauseMs;
    const pick = pauseMs === null && pace.tryTake(chatKey, kind);
    const options = { ...lane, result: step.result, pauseMs, pick };
    const next = await retryTransient(signal, () => chats.nextOfChat(pool, chat, options));
    if (pick && (next.state !== 'held' || !next.item)) pace.giveBack(chatKey, kind, 'all');
    if (next.state === 'lost') log.warn('chat lost to another gateway', { chatKey });
    // We are stopping: somebody else goes on, if anything is left.
    if (next.state === 'released' && stop.signal.aborted) await deps.wake([chatKey], newId('trc'));
    if (next.state !== 'held') return 'left';
    // Picked nothing although it might have: a slot waits for its second.
    if (pick && !next.item) await sleep(SLOT_MS / 4, signal);
    return next.item;
  };

  /** Waits until a send may go out. Answers a pause instead when that takes too long to hold the chat for. */
  const waitForThrottle = async (chatKey: string, signal: AbortSignal): Promise<number | null> => {
    const waitMs = pace.waitMs(chatKey, channel.throttleOf(chatKey));
    if (waitMs > HOLD_MS) return waitMs;
    await sleep(waitMs, signal);
    return null;
  };

  /** Repeats a write while Postgres is away: what was sent must not be forgotten. */
  const retryTransient = async <T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        if (!isTransient(error) || attempt >= SETTLE_TRIES || signal.aborted) throw error;
        log.warn('delivery result not written, trying again', { attempt, error });
        await sleep(backoffMs(attempt, 100, 3_000), signal);
      }
    }
  };

  const showTyping = async (chatKey: string): Promise<void> => {
    // Whoever gets a message, or reads how it is written, sees that something happens.
    if (held.has(chatKey) || drafts.shows(chatKey) || stop.signal.aborted || !pace.tryTakeSpare()) return;
    await channel.typing(chatKey);
  };

  const beat = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(BEAT_EVERY_MS, stop.signal);
      if (held.size === 0) continue;
      try {
        const mine = [...held.values()].map((one) => one.chat);
        for (const key of await chats.beatChats(pool, gateway, mine, LEASE_MS)) held.get(key)?.lost.abort();
      } catch (error) {
        // The lease simply runs out; every write checks the epoch.
        log.debug('beat failed', { error });
      }
    }
  };

  const beating = beat();
  return {
    handle,
    holds: (chatKey) => held.has(chatKey),
    deliverHere: (delivery) => {
      if (held.size >= deps.maxChats || stop.signal.aborted) return;
      background(
        log,
        'delivery',
        handle(delivery).then(({ work }) => work),
      );
    },
    close: async () => {
      stop.abort();
      await Promise.race([Promise.allSettled(running), sleep(deps.drainMs)]);
      await beating;
    },
  };
}

interface Step {
  readonly result: chats.RowResult | null;
  readonly pauseMs: number | null;
}

function report(options: {
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly outcome: Outcome;
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
