import type { Lane } from './conversation/lane.ts';
import type { Queryable } from './pool.ts';
import { hasRow } from './sql.ts';

/**
 * Whether the person whose lane this is has pressed, in a message that is handled now, a button of this conversation that stands for
 * exactly this action, and no other action has used that press. Reads only.
 */
export async function findPressedOffer(
  db: Queryable,
  asked: {
    readonly lane: Lane;
    readonly threadId: string;
    readonly chatKey: string;
    /** What the button is bound to; the conversation is a part of it. */
    readonly offer: string;
    readonly action: { readonly actionId: string; readonly hash: string };
  },
): Promise<boolean> {
  const { lane, threadId, chatKey, offer, action } = asked;
  return hasRow(db)`
    select 1 from inbox i join outbox o on o.id = (i.envelope -> 'button' ->> 'outboxId')::bigint
      where i.user_key = ${lane.userKey} and i.chat_key = ${chatKey} and i.kind = 'message' and i.outcome is null
        and jsonb_typeof(i.envelope -> 'button') = 'object'
        and i.id <= (select l.taken_to from lanes l where l.user_key = ${lane.userKey} and l.epoch = ${lane.epoch} and l.begun > 0)
        and o.user_key = ${lane.userKey}
        and o.body -> 'buttons' -> (i.envelope -> 'button' ->> 'index')::int ->> 'offer' = ${offer}
        and not exists (select 1 from actions a where a.thread_id = ${threadId} and a.hash = ${action.hash}
          and a.action_id <> ${action.actionId}
                           and a.proposed_at >= i.received_at)
      limit 1`;
}
