/*
 * idle → (a request comes) → admitting [those that come meanwhile wait] → admitting what waited, together → … → idle
 *
 * One admission at a time: what one person sends cannot overtake itself in here, and however many requests come, they take one
 * connection to Postgres.
 */

/** Updates that are admitted together; a request that brings more is admitted whole, by itself. */
const MAX_BATCH = 100;
/** Beyond that, a request gets the answer to try again. */
const MAX_WAITING = 500;

interface Waiting<Update> {
  readonly updates: readonly Update[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Takes what a request brings. */
export type AddUpdates<Update> = (updates: readonly Update[]) => Promise<void>;

/**
 * Admits what requests bring: the promise resolves once all of it is committed, and rejects when it has to come again. What waits is
 * sorted by `placeOf`; without it, it keeps the order in which it came. An update that comes twice at once is admitted twice, and the
 * second time it is a duplicate.
 */
export function createBatches<Update>(
  admit: AddUpdates<Update>,
  placeOf: (update: Update) => number = () => 0,
): AddUpdates<Update> {
  const waiting: Waiting<Update>[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      const updates = batch.flatMap((one) => one.updates).toSorted((left, right) => placeOf(left) - placeOf(right));
      try {
        await admit(updates);
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

function takeBatch<Update>(waiting: Waiting<Update>[]): readonly Waiting<Update>[] {
  let count = 0;
  const place = waiting.findIndex(({ updates }) => (count += updates.length) > MAX_BATCH);
  return waiting.splice(0, place === -1 ? waiting.length : Math.max(1, place));
}
