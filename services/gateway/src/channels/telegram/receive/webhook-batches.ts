import type { Incoming } from '../../channel.ts';

/*
 * idle → (an update comes) → admitting [those that come meanwhile wait] → admitting what waited, together → … → idle
 *
 * One admission at a time, as with polling, so that the updates of one person cannot overtake each other in here: what waits
 * is sorted by Telegram's ids. Between gateways Telegram itself keeps the order: it sends the next message of a chat only
 * when it has the 200 for the one before, which it gets after the commit.
 */

/** As many as Telegram gives to a poll. */
const MAX_BATCH = 100;
/** Telegram has at most 100 requests open at once. Beyond many more, a request gets the answer to try again. */
const MAX_WAITING = 500;

interface Waiting {
  readonly update: Incoming;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Admits updates that come one by one: the promise resolves once the update is committed and rejects when it has to come
 * again. An update that comes twice at once is admitted twice, and the second time it is a duplicate.
 */
export function createBatches(
  admit: (updates: readonly Incoming[]) => Promise<void>,
): (update: Incoming) => Promise<void> {
  const waiting: Waiting[] = [];
  let running = false;

  const run = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH).sort((left, right) => idOf(left.update) - idOf(right.update));
      try {
        await admit(batch.map((one) => one.update));
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    running = false;
  };

  return (update) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) return reject(new Error('too many updates are waiting to be admitted'));
      waiting.push({ update, resolve, reject });
      if (!running) void run(); // never rejects: the waiter of an update gets its failure
    });
}

/** An update without an id does not wait for others. */
function idOf(update: Incoming): number {
  return Number(update.updateId ?? 0);
}
