import { tryHold, type Hold, type HoldKind } from './leases.ts';
import type { Pool } from '@signalbox/store/pool';
import { say, sayError } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { sleep } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Channel, Incoming, Listening, Way } from './channel.ts';
import { createStanding } from './refused.ts';

/*
 * waiting → (the place is free for our way) → listening → (connection to Postgres lost) → waiting …
 *                                                └─ (refused: a wrong token) → tried again, ever more slowly → …
 *
 * There is one place per bot. Polling has room for one: the others deliver and stand by. A webhook has room for all.
 * Never both at once, or Telegram refuses one of them: who is set up the other way stays out, is not ready and says why.
 */

/** How soon a gateway that waits notices that the place is free. */
const RETRY_MS = 2_000;

const HOLD_OF: Readonly<Record<Way, HoldKind>> = { polling: 'exclusive', webhook: 'shared' };

/** What a gateway knows of a channel that it listens to. */
export interface Place extends Closable {
  /** Resolves once the place was asked for, and whoever got it listens. Never rejects. */
  readonly asked: Promise<void>;
  /** Why updates do not come in at the moment, in words; null when they do. */
  problem(): string | null;
  /** Whether it is known to be a problem of this channel alone: it worked before, or its platform refuses it. */
  isItsOwn(): boolean;
}

/**
 * Listens to the channel while no other gateway of this installation stands against it. One that is refused is an error in the log, is
 * told to the admins where another channel reaches them, and is tried again, ever more slowly.
 */
export function startListening(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
  readonly admit: (updates: readonly Incoming[]) => Promise<void>;
}): Place {
  const { pool, channel, log, admit } = deps;
  const { way } = channel;
  const stop = new AbortController();
  let listening: Listening | null = null;
  const standing = createStanding({ pool, channel: channel.name, log });
  let state: 'unknown' | 'stands by' | 'stays out' = 'unknown';

  const note = (heldAs: HoldKind): void => {
    const next = heldAs === HOLD_OF[way] ? 'stands by' : 'stays out';
    if (next === state) return;
    state = next;
    if (next === 'stands by') log.info('another gateway listens, this one stands by', { channel: channel.name });
    else log.error('other gateways listen in another way, this one stays out', { channel: channel.name, way });
  };

  const take = async (): Promise<Hold | null> => {
    try {
      const { hold, heldAs } = await tryHold(pool, `listen:${channel.name}:${channel.bot}`, HOLD_OF[way]);
      if (hold) state = 'unknown';
      else if (heldAs) note(heldAs);
      return hold;
    } catch (error) {
      // Postgres is away: readiness says so.
      log.debug('not known who listens', { error });
      return null;
    }
  };

  const listen = async (hold: Hold): Promise<void> => {
    const closed = new AbortController();
    const over = AbortSignal.any([stop.signal, hold.lost, closed.signal]);
    const started = channel.listen(admit);
    listening = started;
    try {
      await Promise.race([started.ended, standing.watch(started, over)]);
    } finally {
      closed.abort();
      await started.close();
      listening = null;
      hold.release();
    }
  };

  const first = take();
  const loop = async (): Promise<void> => {
    for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
      const hold = await (isFirst ? first : take());
      if (!hold) {
        await sleep(RETRY_MS, stop.signal);
        continue;
      }
      try {
        await listen(hold);
      } catch (error) {
        if (stop.signal.aborted) return;
        await standing.refused(error, stop.signal);
      }
    }
  };

  const ended = loop();
  return {
    asked: first.then(() => undefined),
    problem: () => {
      const refusal = standing.refusal();
      if (refusal !== null) return refusal;
      if (listening) return listening.problem();
      if (state === 'stands by') return null;
      if (state === 'unknown') return say('gateway.not-listening', { channel: channel.name });
      return sayError('LISTENERS_DISAGREE', way === 'polling' ? { others: 'by webhook', own: 'to poll' } : WEBHOOK_OUT);
    },
    isItsOwn: () => standing.refusal() !== null || standing.hasWorked(),
    close: async () => {
      stop.abort();
      await ended;
    },
  };
}

const WEBHOOK_OUT = { others: 'by polling', own: 'for a webhook' };
