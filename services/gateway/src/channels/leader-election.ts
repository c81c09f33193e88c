import { tryAcquireLease, type HeldLease, type LeaseMode } from './leases.ts';
import type { Pool } from '@signalbox/store/pool';
import { say, sayError } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { sleep } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Channel, IncomingUpdate, ChannelListener, ReceiveMode } from './channel.ts';
import { createRefusalTracker } from './refused.ts';

/*
 * waiting → (lease is free) → listening → (connection to Postgres lost) → waiting …
 * └─ (refused, such as a wrong token) → tried again with growing delays
 *
 * One lease per bot: exclusive for polling (other gateways stand by), shared for webhooks. Telegram refuses a mix, so a
 * gateway that is set up the other way does not listen, is not ready and says why.
 */

/** How soon a waiting gateway notices that the lease is free. */
const RETRY_MS = 2_000;

const HOLD_KINDS: Readonly<Record<ReceiveMode, LeaseMode>> = { polling: 'exclusive', webhook: 'shared' };

/** A channel's listener on this gateway, which listens or waits for the lease. */
export interface ElectedListener extends Closable {
  /** Name of the channel. */
  readonly channel: string;
  /** Resolves once the lease was requested and, if granted, listening started. Never rejects. */
  readonly requested: Promise<void>;
  /** Why updates do not arrive at the moment, as a sentence; null when they do. */
  problem(): string | null;
  /** True while this gateway receives the channel's updates. */
  isListening(): boolean;
  /** True when only this channel has the problem: it worked before, or its platform refuses it. */
  isOwnProblem(): boolean;
}

/** Listens while no other gateway holds a conflicting lease. A refused channel is reported to admins and tried again. */
export function startElectedListener(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
  readonly admit: (updates: readonly IncomingUpdate[]) => Promise<void>;
}): ElectedListener {
  const { pool, channel, log, admit } = deps;
  const { way } = channel;
  const stopping = new AbortController();
  let listening: ChannelListener | null = null;
  const standing = createRefusalTracker({ pool, channel: channel.name, log });
  let state: 'unknown' | 'stands by' | 'stays out' = 'unknown';

  const noteHolder = (heldAs: LeaseMode): void => {
    const next = heldAs === HOLD_KINDS[way] ? 'stands by' : 'stays out';
    if (next === state) return;
    state = next;
    if (next === 'stands by') log.info('another gateway listens, this one stands by', { channel: channel.name });
    else log.error('other gateways listen in another way, this one stays out', { channel: channel.name, way });
  };

  const takeLease = async (): Promise<HeldLease | null> => {
    try {
      const { hold, heldAs } = await tryAcquireLease(pool, `listen:${channel.name}:${channel.bot}`, HOLD_KINDS[way]);
      if (hold) state = 'unknown';
      else if (heldAs) noteHolder(heldAs);
      return hold;
    } catch (error) {
      // Readiness reports that Postgres is away.
      log.debug('not known who listens', { error });
      return null;
    }
  };

  const listen = async (hold: HeldLease): Promise<void> => {
    const closed = new AbortController();
    const endSignal = AbortSignal.any([stopping.signal, hold.lost, closed.signal]);
    const started = channel.listen(admit);
    listening = started;
    try {
      await Promise.race([started.ended, standing.watch(started, endSignal)]);
    } finally {
      closed.abort();
      await started.close();
      listening = null;
      hold.release();
    }
  };

  const first = takeLease();
  const loop = async (): Promise<void> => {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      const hold = await (isFirst ? first : takeLease());
      if (!hold) {
        await sleep(RETRY_MS, stopping.signal);
        continue;
      }
      try {
        await listen(hold);
      } catch (error) {
        if (stopping.signal.aborted) return;
        await standing.refused(error, stopping.signal);
      }
    }
  };

  const ended = loop();
  return {
    channel: channel.name,
    requested: first.then(() => undefined),
    problem: () => {
      const refusal = standing.refusal();
      if (refusal !== null) return refusal;
      if (listening) return listening.problem();
      if (state === 'stands by') return null;
      if (state === 'unknown') return say('gateway.not-listening', { channel: channel.name });
      return sayError('LISTENERS_DISAGREE', way === 'polling' ? { others: 'by webhook', own: 'to poll' } : WEBHOOK_OUT);
    },
    isListening: () => listening !== null,
    isOwnProblem: () => standing.refusal() !== null || standing.hasWorked(),
    close: async () => {
      stopping.abort();
      await ended;
    },
  };
}

const WEBHOOK_OUT = { others: 'by polling', own: 'for a webhook' };
