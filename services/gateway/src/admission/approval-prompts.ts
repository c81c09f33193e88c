import type { ApprovalAct } from '@signalbox/contracts/governance/approval';
import type { Queryable } from '@signalbox/store/pool';

/** Something that a person was asked to write about a request: an answer to that very message is taken for it. */
export interface OpenPrompt {
  /** The message that asks. */
  readonly outboxKey: string;
  readonly approvalId: string;
  readonly verb: 'reject' | 'modify' | 'ask' | 'answer';
  /** Who is to write. */
  readonly userKey: string;
  /** With `answer`: the chat in which it was asked. */
  readonly askedBy: string | null;
}

/** Remembers what a person was asked to write. */
export async function putPrompt(db: Queryable, prompt: OpenPrompt): Promise<void> {
  await db.query(
    `insert into approval_prompts (outbox_key, approval_id, verb, user_key, asked_by) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [prompt.outboxKey, prompt.approvalId, prompt.verb, prompt.userKey, prompt.askedBy],
  );
}

/** So long a person's next plain message is taken for what they were asked to write. */
const PLAIN_ANSWER = '2 minutes';

/**
 * The open prompt that this message of ours was, for this person in this chat; without one (null) the newest that they were given here
 * within two minutes. Null when it was none.
 */
export async function findPrompt(
  db: Queryable,
  at: { readonly userKey: string; readonly chatKey: string; readonly messageId: string | null },
): Promise<OpenPrompt | null> {
  const { rows } = await db.query<OpenPrompt>(
    `select p.outbox_key as "outboxKey", p.approval_id as "approvalId", p.verb, p.user_key as "userKey", p.asked_by as "askedBy"
       from approval_prompts p join outbox o on o.key = p.outbox_key
      where p.user_key = $1 and p.used_at is null and chat_root(o.chat_key) = chat_root($2)
        and case when $3::text is not null then o.receipt -> 'messageIds' ? $3
                 else p.made_at > clock_timestamp() - interval '${PLAIN_ANSWER}'
                      and exists (select 1 from approvals a where a.approval_id = p.approval_id and a.status = 'pending') end
      order by p.made_at desc limit 1`,
    [at.userKey, at.chatKey, at.messageId],
  );
  return rows[0] ?? null;
}

/** Which of these people were asked to write something within two minutes, and have not. One round trip. */
export async function findPrompted(db: Queryable, userKeys: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ userKey: string }>({
    name: 'find_prompted',
    text: `select distinct user_key as "userKey" from approval_prompts
            where user_key = any ($1) and used_at is null and made_at > clock_timestamp() - interval '${PLAIN_ANSWER}'`,
    values: [userKeys],
  });
  return new Set(rows.map(({ userKey }) => userKey));
}

/** Takes a prompt as answered. False when it was before. */
export async function usePrompt(db: Queryable, outboxKey: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update approval_prompts set used_at = now() where outbox_key = $1 and used_at is null',
    [outboxKey],
  );
  return rowCount === 1;
}

/** The act of a pressed button. `bound`: the press came from the chat and the message in which the button stands. */
export async function findAct(
  db: Queryable,
  press: {
    readonly outboxId: string;
    readonly index: number;
    readonly chatKey: string;
    readonly messageId: string | null;
  },
): Promise<{ readonly act: ApprovalAct; readonly isBound: boolean } | null> {
  const { rows } = await db.query<{ act: ApprovalAct | null; bound: boolean }>(
    `select o.body -> 'buttons' -> $2::int -> 'act' as act,
            chat_root(o.chat_key) = chat_root($3)
            and ($4::text is null or not exists (
                   select 1 from outbox s where s.chat_key = o.chat_key and (s.id = o.id or s.slot = o.slot) and s.status = 'sent')
                 or exists (
                   select 1 from outbox s where s.chat_key = o.chat_key and (s.id = o.id or s.slot = o.slot)
                      and s.receipt -> 'messageIds' ? $4)) as bound
       from outbox o where o.id = $1::bigint`,
    [press.outboxId, press.index, press.chatKey, press.messageId],
  );
  const row = rows[0];
  return row?.act ? { act: row.act, isBound: row.bound } : null;
}
