import { hasRow, findRow, sql } from '@signalbox/store/sql';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { WrittenUpdate } from '../channels/channel.ts';
import { admitInbox, type Admission, type AdmissionResult } from './inbox.ts';
import { keepFound } from './secrets/keep-secrets.ts';
import type { Plan } from './plan.ts';

/*
 * A long text comes as several messages when a client cuts it. The first one waits for the next (`held_until`), and what follows is put to
 * its text before a turn may take it. The whole is read as one text: a secret that was cut in two is found, and the limit is that of one.
 */

/** The rest, as part of the message that it belongs to. */
export interface Joined {
  readonly plan: Plan;
  readonly admitted: AdmissionResult;
  readonly isSaid: boolean;
}

interface First {
  readonly text: string;
  readonly joint: string;
  readonly reason: string | null;
}

/** The text may have changed meanwhile by an edit, or by the same rest at another gateway. */
const TRIES = 3;

/**
 * Puts the rest of a text to the message `id`, in the order in which the parts come. A whole that is too long is refused as one, and what
 * still follows with it. Null when a turn has taken that message by now: the rest is one of its own then. The same rest again changes nothing.
 */
export async function joinRest(
  { pool, cipher }: { readonly pool: Pool; readonly cipher: SecretSealer },
  id: number,
  sent: WrittenUpdate,
  planWhole: (whole: WrittenUpdate) => Promise<Plan | undefined>,
): Promise<Joined | null> {
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const first = await findFirst(pool, id);
    if (!first) return null;
    const { onlyRest: _, ...rest } = sent;
    const isOver = first.reason !== null;
    const text = isOver ? first.text : `${first.text}${first.joint}${sent.text}`;
    const plan = await planWhole({ ...rest, text, named: true });
    if (!plan) return null;
    const joined = await withTransaction(pool, async (db): Promise<Joined | 'changed'> => {
      await db.query(sql`select 1 from lanes where user_key = ${sent.userKey} for update`);
      if (!(await isAsFound(db, id, first))) return 'changed';
      const isRefused = plan.admission.verdict === 'refuse' && !isOver;
      const verdict = isRefused ? 'refuse' : 'merge';
      const item: Admission = {
        ...plan.admission,
        verdict,
        reason: 'rest',
        rest: false,
        envelope: { ...plan.admission.envelope, text: '' },
      };
      const [admitted] = await admitInbox(db, [item]);
      if (!admitted || admitted.verdict === 'duplicate') return { plan, admitted: admitted ?? NOTHING, isSaid: false };
      if (isRefused || isOver) await refuseFirst(db, id, plan);
      else await writeWhole(db, id, plan);
      const isSaid = isRefused || isOver ? false : await keepFound(db, cipher, plan);
      return { plan, admitted, isSaid };
    });
    if (joined !== 'changed') return joined;
  }
  return null;
}

const NOTHING: AdmissionResult = { verdict: 'duplicate', id: null, reason: null, role: null, label: null, said: false };

function findFirst(db: Queryable, id: number): Promise<First | null> {
  return findRow<First>(db)`
    select envelope ->> 'text' as text, envelope -> 'cut' ->> 'joint' as joint, reason from inbox
     where id = ${id} and (outcome is null or reason = 'too long')`;
}

/** Only under the lane's lock the answer stays true. */
function isAsFound(db: Queryable, id: number, { text, reason }: First): Promise<boolean> {
  return hasRow(db)`
    select 1 from inbox i join lanes l on l.user_key = i.user_key
     where i.id = ${id} and i.envelope ->> 'text' = ${text} and i.reason is not distinct from ${reason}
       and (i.outcome is not null or not (l.begun > 0 and i.id <= l.taken_to))`;
}

async function writeWhole(db: Queryable, id: number, { admission, envelope, sent }: Plan): Promise<void> {
  const cut = 'cut' in admission.envelope ? admission.envelope.cut : null;
  const borrowed = 'borrowed' in sent && sent.borrowed ? { borrowed: sent.borrowed } : {};
  const more = JSON.stringify({ text: envelope.text, ...borrowed });
  await db.query(sql`
    update inbox set envelope = (envelope - 'cut') || ${more}::jsonb || ${JSON.stringify(cut ? { cut } : {})}::jsonb,
           held_until = case when ${admission.holdMs} > 0 then clock_timestamp() + ${admission.holdMs} * interval '1 ms' end
     where id = ${id}`);
}

/** What still follows is put to it as well, so that it is not taken for an order of its own. */
async function refuseFirst(db: Queryable, id: number, { sent }: Plan): Promise<void> {
  await db.query(sql`
    update inbox set outcome = 'refused', reason = 'too long', settled_at = coalesce(settled_at, now()), held_until = null,
           envelope = jsonb_set(jsonb_set(envelope, '{text}', to_jsonb(left(envelope ->> 'text', 200))), '{cut,at}', ${JSON.stringify(sent.at)}::jsonb)
     where id = ${id}`);
}
