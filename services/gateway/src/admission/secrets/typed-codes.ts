import type { ChallengeStore } from '@signalbox/plugins/plugin';
import { couldHoldCode, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { Queryable } from '@signalbox/store/pool';

/** Finds the open challenges of senders whose text may hold a step-up code; no query when no text does. */
export async function findChallenges(
  db: Queryable,
  challenges: ChallengeStore,
  updates: readonly { readonly userKey: string; readonly text?: string }[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  const typing = updates.flatMap(({ userKey, text = '' }) => (couldHoldCode(text) ? [userKey] : []));
  return typing.length === 0 ? new Map() : challenges.list(db, typing);
}
