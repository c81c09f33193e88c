import type { Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { Queryable } from '@signalbox/store/pool';
import { hasRow, listRows } from '@signalbox/store/sql';

/** Lists the codes of the last day that each account may type: first the account's own, then those that it reads for others. */
export async function listChallenges(
  db: Queryable,
  userKeys: readonly string[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  const found = new Map<string, Challenge[]>();
  if (userKeys.length === 0) return found;
  const rows = await listRows<Challenge & { readonly reader: string }>(db)`
    select k as reader, s.challenge_id as "challengeId", s.status = 'waiting' and s.expires_at > clock_timestamp() as "isOpen"
      from unnest(${[...new Set(userKeys)]}::text[]) k
      join card_step_ups s on (s.person = person_of(k) or s.sent_to = k) and s.created_at > clock_timestamp() - interval '1 day'
     order by s.user_key <> k, s.created_at desc`;
  for (const { reader, challengeId, isOpen } of rows) {
    const challenges = found.get(reader) ?? [];
    challenges.push({ challengeId, isOpen });
    found.set(reader, challenges);
  }
  return found;
}

/**
 * Stores the keyed hash of a code that is about to be sent; the code expires ten minutes after the first call. False when the challenge
 * is closed. Idempotent.
 */
export function markSent(db: Queryable, challengeId: string, mark: string): Promise<boolean> {
  return hasRow(db)`update card_step_ups set mark = ${mark}, sent_at = coalesce(sent_at, clock_timestamp()),
      expires_at = case when sent_at is null then clock_timestamp() + interval '10 minutes' else expires_at end
    where challenge_id = ${challengeId} and status = 'waiting'`;
}
