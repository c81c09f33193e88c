import type { ChallengeStore } from '@signalbox/plugins/plugin';
import { couldHoldCode, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { Queryable } from '@signalbox/store/pool';

/** Open challenges of the senders whose text may hold a code; no query when none does. */
export async function findChallenges(
  db: Queryable,
  challenges: ChallengeStore,
  updates: readonly { readonly userKey: string; readonly text?: string }[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  const typing = updates.flatMap(({ userKey, text = '' }) => (couldHoldCode(text) ? [userKey] : []));
  return typing.length === 0 ? new Map() : challenges.list(db, typing);
}
