import type { Incoming } from '../../channel.ts';

/*
 * idle → (an event comes) → admitting [those that come meanwhile wait] → admitting what waited, together → … → idle
 *
 * However many programs write at once, events take one connection to Postgres.
 */

const MAX_BATCH = 100;
/** Beyond that, a request gets the answer to try again. */
const MAX_WAITING = 500;

interface Waiting {
  readonly event: Incoming;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Admits events that come one by one: the promise resolves once the event is committed, and rejects when it has to come again. */
export function createBatches(
  admit: (events: readonly Incoming[]) => Promise<void>,
): (event: Incoming) => Promise<void> {
  const waiting: Waiting[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        await admit(batch.map(({ event }) => event));
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    isRunning = false;
  };

  return (event) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) return reject(new Error('too many events are waiting to be admitted'));
      waiting.push({ event, resolve, reject });
      if (!isRunning) void run(); // never rejects: the waiter of an event gets its failure
    });
}
