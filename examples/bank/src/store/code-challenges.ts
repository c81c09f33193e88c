import type { Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { Queryable } from '@signalbox/store/pool';
import { hasRow, listRows } from '@signalbox/store/sql';

/** Codes of the last day that these accounts may type: their own, and those that they read for others; the likeliest first. */
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
 * Notes the mark of the code that is about to be sent; from the first time on the code counts for ten minutes. False when it is for
 * nothing any more. Idempotent.
 */
export function markSent(db: Queryable, challengeId: string, mark: string): Promise<boolean> {
  return hasRow(db)`update card_step_ups set mark = ${mark}, sent_at = coalesce(sent_at, clock_timestamp()),
      expires_at = case when sent_at is null then clock_timestamp() + interval '10 minutes' else expires_at end
    where challenge_id = ${challengeId} and status = 'waiting'`;
}
