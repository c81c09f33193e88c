import { tryExclusive, type Exclusive } from '@signalbox/shared/db/exclusive';
import type { Pool } from '@signalbox/shared/db/pool';
import type { Log } from '@signalbox/shared/log';
import { sleep } from '@signalbox/shared/time';
import type { Channel, Incoming, Listening } from './channels/channel.ts';

/*
 * waiting → (the name is free) → listening → (connection to Postgres lost) → waiting …
 * A channel has one place for a listener: with several gateways one listens, the others deliver and stand by.
 */

/** How soon a gateway that stands by notices that the place is free. */
const RETRY_MS = 2_000;

/** Listens to the channel while no other gateway of this installation does. */
export function listenAlone(deps: {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly log: Log;
  readonly admit: (updates: readonly Incoming[]) => Promise<void>;
}): Listening {
  const { pool, channel, log, admit } = deps;
  const stop = new AbortController();
  let listening: Listening | null = null;
  let standsBy = false;

  const take = async (): Promise<Exclusive | null> => {
    try {
      const hold = await tryExclusive(pool, `listen:${channel.name}:${channel.bot}`);
      if (!hold && !standsBy) log.info('another gateway listens, this one stands by', { channel: channel.name });
      standsBy = !hold;
      return hold;
    } catch (error) {
      // Postgres is away: readiness says so.
      log.debug('not known who listens', { error });
      return null;
    }
  };

  const listen = async (hold: Exclusive): Promise<void> => {
    const over = AbortSignal.any([stop.signal, hold.lost]);
    const started = channel.listen(admit);
    listening = started;
    try {
      await Promise.race([started.ended, untilAborted(over)]);
    } finally {
      await started.close();
      listening = null;
      hold.release();
    }
  };

  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const hold = await take();
      if (hold) await listen(hold);
      else await sleep(RETRY_MS, stop.signal);
    }
  };

  const ended = loop();
  // Whoever composes the service awaits `ended` too; this keeps an early failure from being unhandled meanwhile.
  ended.catch(() => undefined);
  return {
    ended,
    problem: () => {
      if (listening) return listening.problem();
      return standsBy ? null : `${channel.name}: nobody listens yet`;
    },
    close: async () => {
      stop.abort();
      await ended.catch(() => undefined);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
