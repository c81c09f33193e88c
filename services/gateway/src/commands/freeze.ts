import type { Queryable } from '@signalbox/store/pool';

/** Why and by whom everything but reads is stopped. */
export interface Freeze {
  readonly by: string;
  readonly name: string;
  readonly reason: string;
  readonly at: string;
}

/** Stops every effect until it is lifted. False when it was in force already; the first one stands. */
export async function setFreeze(db: Queryable, freeze: Freeze): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into settings (key, value) values ('freeze', $1::jsonb) on conflict (key) do nothing`,
    [JSON.stringify(freeze)],
  );
  return rowCount === 1;
}

/** Lifts a freeze; what it was, or null when there was none. */
export async function liftFreeze(db: Queryable): Promise<Freeze | null> {
  const { rows } = await db.query<{ value: Freeze }>(`delete from settings where key = 'freeze' returning value`);
  return rows[0]?.value ?? null;
}

/** Opens break-glass for a while: what policy lets pass then is passed, and everybody who decides hears of it. */
export async function openBreakGlass(db: Queryable, by: string, validMs: number): Promise<void> {
  await db.query(
    `insert into settings (key, value)
     values ('break_glass', jsonb_build_object('by', $1::text, 'until', clock_timestamp() + $2 * interval '1 ms'))
     on conflict (key) do update set value = excluded.value, updated_at = now()`,
    [by, validMs],
  );
}

/** The group in which requests are shown to those who decide. Null: their private chats. */
export async function nameApprovalsChat(db: Queryable, chatKey: string | null): Promise<void> {
  if (chatKey === null) await db.query(`delete from settings where key = 'approvals_chat'`);
  else
    await db.query(
      `insert into settings (key, value) values ('approvals_chat', jsonb_build_object('chatKey', $1::text))
       on conflict (key) do update set value = excluded.value, updated_at = now()`,
      [chatKey],
    );
}

/** One action of a turn, with what was decided about it. */
export interface ExplainedAction {
  readonly actionId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: string;
  readonly effect: string | null;
  readonly rule: string | null;
  readonly sentence: string | null;
  readonly risk: string | null;
  readonly reasons: readonly string[];
  readonly approvalId: string | null;
  readonly approvalStatus: string | null;
  readonly voters: readonly string[];
}

/**
 * The actions of a turn (`turn_…`), those whose ids begin with that of a receipt (`act_…`), or without an id those of this person's newest
 * turn that had any; oldest first. `any`: also those of others, by id.
 */
export async function explainActions(
  db: Queryable,
  of: { readonly id: string | null; readonly userKey: string; readonly any: boolean },
): Promise<readonly ExplainedAction[]> {
  const isReceipt = of.id?.startsWith('act_') ?? false;
  const which = isReceipt
    ? 'a.action_id like $1'
    : 'a.turn_id = coalesce($1, (select turn_id from actions where user_key = $2 order by proposed_at desc limit 1))';
  const { rows } = await db.query<ExplainedAction>(
    `select a.action_id as "actionId", a.turn_id as "turnId", a.tool, a.status, a.arguments, a.proposal -> 'decision' ->> 'effect' as effect,
            a.proposal -> 'decision' ->> 'rule' as rule, a.proposal -> 'decision' ->> 'sentence' as sentence,
            a.proposal -> 'action' -> 'assessment' ->> 'risk' as risk,
            coalesce(array(select jsonb_array_elements_text(a.proposal -> 'action' -> 'assessment' -> 'reasons')), '{}') as reasons,
            p.approval_id as "approvalId", p.status as "approvalStatus",
            coalesce((select array_agg(v.name order by v.voted_at) from approval_votes v where v.approval_id = p.approval_id), '{}') as voters
       from actions a left join approvals p on p.action_id = a.action_id
      where (a.user_key = $2 or $3) and ${which}
      order by a.proposed_at, a.action_id limit 50`,
    [isReceipt ? `${of.id?.replaceAll('_', '\\_') ?? ''}%` : of.id, of.userKey, of.any && of.id !== null],
  );
  return rows;
}
