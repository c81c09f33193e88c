import type { Incoming } from '../../channel.ts';

/*
 * idle → (a webhook comes) → admitting [those that come meanwhile wait] → admitting what waited, together → … → idle
 *
 * One admission at a time, so that the messages of one person cannot overtake each other in here: what waits is sorted by the times
 * of WhatsApp, which count in seconds. Meta keeps no order between requests.
 */

/** Messages that are admitted together. */
const MAX_BATCH = 200;
/** Beyond that, a request gets the answer to try again. */
const MAX_WAITING = 500;

interface Waiting {
  readonly updates: readonly Incoming[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type AddUpdates = (updates: readonly Incoming[]) => Promise<void>;

/** Admits what webhooks bring: the promise resolves once all of it is committed, and rejects when it has to come again. */
export function createBatches(admit: AddUpdates): AddUpdates {
  const waiting: Waiting[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      try {
        await admit(batch.flatMap(({ updates }) => updates).toSorted((left, right) => timeOf(left) - timeOf(right)));
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    isRunning = false;
  };

  return (updates) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) return reject(new Error('too many updates are waiting to be admitted'));
      waiting.push({ updates, resolve, reject });
      if (!isRunning) void run(); // never rejects: the waiter of an update gets its failure
    });
}

function takeBatch(waiting: Waiting[]): readonly Waiting[] {
  let count = 0;
  const place = waiting.findIndex(({ updates }) => (count += updates.length) > MAX_BATCH);
  return waiting.splice(0, place === -1 ? waiting.length : Math.max(1, place));
}

/** What has no time comes first: it concerns no order. */
function timeOf(update: Incoming): number {
  return 'at' in update ? Date.parse(update.at) : 0;
}
