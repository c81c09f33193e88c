/*
 * idle → (request) → admitting [later requests wait] → admitting the waiting requests together → … → idle
 *
 * One admission runs at a time, so a person's updates cannot overtake each other and one connection to Postgres suffices.
 */

/** A batch is larger only when a single request brings more updates. */
const MAX_BATCH = 100;
/** Further requests are rejected while this many wait. */
const MAX_WAITING = 500;

interface WaitingRequest<Update> {
  readonly updates: readonly Update[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type AddUpdates<Update> = (updates: readonly Update[]) => Promise<void>;

/** Admits the updates of requests, sorted by `orderOf`. Resolves once a whole request is committed; rejects when it must be repeated. */
export function createUpdateBatcher<Update>(
  admit: AddUpdates<Update>,
  orderOf: (update: Update) => number = () => 0,
): AddUpdates<Update> {
  const waiting: WaitingRequest<Update>[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      const updates = batch.flatMap((one) => one.updates).toSorted((left, right) => orderOf(left) - orderOf(right));
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
      if (!isRunning) void run(); // never rejects: failures go to the waiting requests
    });
}

function takeBatch<Update>(waiting: WaitingRequest<Update>[]): readonly WaitingRequest<Update>[] {
  let count = 0;
  const place = waiting.findIndex(({ updates }) => (count += updates.length) > MAX_BATCH);
  return waiting.splice(0, place === -1 ? waiting.length : Math.max(1, place));
}
