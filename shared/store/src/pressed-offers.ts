import type { Lane } from './conversation/lane.ts';
import type { Queryable } from './pool.ts';
import { hasRow } from './sql.ts';

/**
 * True when the person of this lane pressed, in a message of this turn, a button of this conversation for exactly this action, and no
 * other action has used the press. Read-only.
 */
export async function hasPressedOffer(
  db: Queryable,
  asked: {
    readonly lane: Lane;
    readonly threadId: string;
    readonly chatKey: string;
    /** Hash to which the button is bound; includes the conversation. */
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
