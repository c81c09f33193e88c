import { mayHoldCode, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import { listChallenges } from '@signalbox/store/cards/code-challenges';
import type { Queryable } from '@signalbox/store/pool';

/** Open challenges of the senders whose text may hold a code; no query when none does. */
export async function findChallenges(
  db: Queryable,
  updates: readonly { readonly userKey: string; readonly text?: string }[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  return listChallenges(
    db,
    updates.flatMap(({ userKey, text = '' }) => (mayHoldCode(text) ? [userKey] : [])),
  );
}
