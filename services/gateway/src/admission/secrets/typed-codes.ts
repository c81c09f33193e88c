import { mayHoldCode, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import { listChallenges } from '@signalbox/store/cards/code-challenges';
import type { Queryable } from '@signalbox/store/pool';

/** The codes that the senders of these texts may have typed. Asks nothing where no text has as many digits as a code. */
export async function challengesOf(
  db: Queryable,
  updates: readonly { readonly userKey: string; readonly text?: string }[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  return listChallenges(
    db,
    updates.flatMap(({ userKey, text = '' }) => (mayHoldCode(text) ? [userKey] : [])),
  );
}
