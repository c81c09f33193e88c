import { hasRow, findRow, sql } from '@signalbox/store/sql';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { TextUpdate } from '../channels/channel.ts';
import { admitUpdates, type InboxUpdate, type AdmissionResult } from '../rows/inbox.ts';
import { storeFoundSecrets } from './secrets/keep-secrets.ts';
import type { AdmissionPlan } from './plan.ts';

/*
 * Clients split a long text into several messages. The first waits for the next (`held_until`), and each further part is
 * appended before a turn may take it. The whole counts as one text: split secrets are found, one length limit applies.
 */

export interface JoinedText {
  readonly plan: AdmissionPlan;
  readonly admitted: AdmissionResult;
  readonly isSaid: boolean;
}

interface FirstPart {
  readonly text: string;
  readonly joint: string;
  readonly reason: string | null;
}

/** The text may change between reading and writing: by an edit, or because another gateway appends the same rest. */
const MAX_TRIES = 3;

/** Appends the rest of a split text to inbox message `id`. Null when a turn has already taken that message. Idempotent. */
export async function appendSplitText(
  { pool, cipher }: { readonly pool: Pool; readonly cipher: SecretSealer },
  id: number,
  sent: TextUpdate,
  planWhole: (whole: TextUpdate) => Promise<AdmissionPlan | undefined>,
): Promise<JoinedText | null> {
  for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
    const first = await findFirst(pool, id);
    if (!first) return null;
    const { onlyRest: _, ...rest } = sent;
    const isTooLong = first.reason !== null;
    const text = isTooLong ? first.text : `${first.text}${first.joint}${sent.text}`;
    const plan = await planWhole({ ...rest, text, named: true });
    if (!plan) return null;
    const joined = await withTransaction(pool, async (db): Promise<JoinedText | 'changed'> => {
      await db.query(sql`select 1 from lanes where user_key = ${sent.userKey} for update`);
      if (!(await isUnchanged(db, id, first))) return 'changed';
      const isRefused = plan.admission.verdict === 'refuse' && !isTooLong;
      const verdict = isRefused ? 'refuse' : 'merge';
      const item: InboxUpdate = {
        ...plan.admission,
        verdict,
        reason: 'rest',
        rest: false,
        envelope: { ...plan.admission.envelope, text: '' },
      };
      const [admitted] = await admitUpdates(db, [item]);
      if (!admitted || admitted.verdict === 'duplicate')
        return { plan, admitted: admitted ?? DUPLICATE_RESULT, isSaid: false };
      if (isRefused || isTooLong) await refuseFirst(db, id, plan);
      else await writeWhole(db, id, plan);
      const isSaid = isRefused || isTooLong ? false : await storeFoundSecrets(db, cipher, plan);
      return { plan, admitted, isSaid };
    });
    if (joined !== 'changed') return joined;
  }
  return null;
}

const DUPLICATE_RESULT: AdmissionResult = {
  verdict: 'duplicate',
  id: null,
  reason: null,
  role: null,
  label: null,
  said: false,
};

function findFirst(db: Queryable, id: number): Promise<FirstPart | null> {
  return findRow<FirstPart>(db)`
    select envelope ->> 'text' as text, envelope -> 'cut' ->> 'joint' as joint, reason from inbox
     where id = ${id} and (outcome is null or reason = 'too long')`;
}

/** Checked under the lane's lock, so that the answer stays true until the commit. */
function isUnchanged(db: Queryable, id: number, { text, reason }: FirstPart): Promise<boolean> {
  return hasRow(db)`
    select 1 from inbox i join lanes l on l.user_key = i.user_key
     where i.id = ${id} and i.envelope ->> 'text' = ${text} and i.reason is not distinct from ${reason}
       and (i.outcome is not null or not (l.begun > 0 and i.id <= l.taken_to))`;
}

async function writeWhole(db: Queryable, id: number, { admission, envelope, sent }: AdmissionPlan): Promise<void> {
  const cut = 'cut' in admission.envelope ? admission.envelope.cut : null;
  const borrowed = 'borrowed' in sent && sent.borrowed ? { borrowed: sent.borrowed } : {};
  const changes = JSON.stringify({ text: envelope.text, ...borrowed });
  await db.query(sql`
    update inbox set envelope = (envelope - 'cut') || ${changes}::jsonb || ${JSON.stringify(cut ? { cut } : {})}::jsonb,
           held_until = case when ${admission.holdMs} > 0 then clock_timestamp() + ${admission.holdMs} * interval '1 ms' end
     where id = ${id}`);
}

/** Refuses the first part. Later parts still join it, so that none becomes a message of its own. */
async function refuseFirst(db: Queryable, id: number, { sent }: AdmissionPlan): Promise<void> {
  await db.query(sql`
    update inbox set outcome = 'refused', reason = 'too long', settled_at = coalesce(settled_at, now()), held_until = null,
           envelope = jsonb_set(jsonb_set(envelope, '{text}', to_jsonb(left(envelope ->> 'text', 200))), '{cut,at}', ${JSON.stringify(sent.at)}::jsonb)
     where id = ${id}`);
}
