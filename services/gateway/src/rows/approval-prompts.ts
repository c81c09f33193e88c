import type { ApprovalCommand } from '@signalbox/contracts/governance/approval';
import type { Queryable } from '@signalbox/store/pool';
import { findRow, hasRow, listValues, sql } from '@signalbox/store/sql';

/** A question to a person about an approval request, which their reply to that message answers. */
export interface OpenPrompt {
  readonly outboxKey: string;
  readonly approvalId: string;
  readonly verb: 'reject' | 'modify' | 'ask' | 'answer';
  readonly userKey: string;
  /** For the verb `answer`: the chat that asked the question. */
  readonly askedBy: string | null;
}

export async function putPrompt(db: Queryable, prompt: OpenPrompt): Promise<void> {
  const { outboxKey, approvalId, verb, userKey, askedBy } = prompt;
  await db.query(sql`insert into approval_prompts (outbox_key, approval_id, verb, user_key, asked_by)
    values (${outboxKey}, ${approvalId}, ${verb}, ${userKey}, ${askedBy}) on conflict do nothing`);
}

/** A plain message within this time answers the prompt, even when it is no reply to it. */
const IS_FRESH = sql`made_at > clock_timestamp() - interval '2 minutes'`;

/** Finds this person's open prompt by its message; with `messageId` null, the newest of the last two minutes. */
export function findPrompt(
  db: Queryable,
  sent: { readonly userKey: string; readonly chatKey: string; readonly messageId: string | null },
): Promise<OpenPrompt | null> {
  const { userKey, chatKey, messageId } = sent;
  return findRow<OpenPrompt>(db)`
    select p.outbox_key as "outboxKey", p.approval_id as "approvalId", p.verb, p.user_key as "userKey", p.asked_by as "askedBy"
       from approval_prompts p join outbox o on o.key = p.outbox_key
      where p.user_key = ${userKey} and p.used_at is null and chat_root(o.chat_key) = chat_root(${chatKey})
        and case when ${messageId}::text is not null then o.receipt -> 'messageIds' ? ${messageId}
                 else ${IS_FRESH}
                      and exists (select 1 from approvals a where a.approval_id = p.approval_id and a.status = 'pending') end
      order by p.made_at desc limit 1`;
}

/** Which of these people have an open prompt of the last two minutes. One round trip. */
export async function findPromptedUsers(db: Queryable, userKeys: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set(
    await listValues<string>(db, 'find_prompted')`
      select distinct user_key from approval_prompts where user_key = any (${userKeys}) and used_at is null and ${IS_FRESH}`,
  );
}

/** Marks a prompt as answered. False when it was answered before. */
export function markPromptUsed(db: Queryable, outboxKey: string): Promise<boolean> {
  return hasRow(db)`update approval_prompts set used_at = now() where outbox_key = ${outboxKey} and used_at is null`;
}

/** The act of a pressed button. `isBound`: the press came from the chat and message that hold the button. */
export function findPressedAct(
  db: Queryable,
  press: {
    readonly outboxId: string;
    readonly index: number;
    readonly chatKey: string;
    readonly messageId: string | null;
  },
): Promise<{ readonly act: ApprovalCommand; readonly isBound: boolean } | null> {
  const { outboxId, index, chatKey, messageId } = press;
  return findRow<{ act: ApprovalCommand; isBound: boolean }>(db)`
    select o.body -> 'buttons' -> ${index}::int -> 'act' as act,
            chat_root(o.chat_key) = chat_root(${chatKey})
            and (${messageId}::text is null or not exists (
                   select 1 from outbox s where s.chat_key = o.chat_key and (s.id = o.id or s.slot = o.slot) and s.status = 'sent')
                 or exists (
                   select 1 from outbox s where s.chat_key = o.chat_key and (s.id = o.id or s.slot = o.slot)
                      and s.receipt -> 'messageIds' ? ${messageId})) as "isBound"
       from outbox o where o.id = ${outboxId}::bigint and jsonb_typeof(o.body -> 'buttons' -> ${index}::int -> 'act') = 'object'`;
}
