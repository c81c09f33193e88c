import { INBOUND_TOPIC, type WakeUp } from '@signalbox/contracts/conversation/topics';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import type { HandlerOf } from '../runner/handlers.ts';
import { wakeChats } from '../runner/wake-chats.ts';
import { renderCardTitle } from '@signalbox/safety/cards/approval-card';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import type { Approval } from '@signalbox/contracts/governance/approval';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { Approvals } from '@signalbox/governance/approvals';
import { sayLostPoint } from '@signalbox/governance/lost-point';
import { createApprovalEvent } from '@signalbox/governance/events';
import { appendAudit } from '@signalbox/store/audit/audit';
import { putCards } from '@signalbox/store/governance/approval-cards';
import {
  listApproverChats,
  listCardChats,
  listPointless,
  findApproval,
  listVotes,
  type LostPoint,
} from '@signalbox/store/governance/approvals';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue, sql } from '@signalbox/store/sql';

const BATCH = 100;

/** Reminds approvers of open requests, escalates them to admins, and ends those that expired or lost their point. */
export function createApprovalsWatchHandler(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
}): HandlerOf<'approvals.watch'> {
  return {
    title: () => say('jobs.lookingAfterRequestsForApproval'),
    run: async (_, { signal, log }) => {
      signal.throwIfAborted();
      const { chats, wakes, ...counts } = await watchApprovals(parts.pool);
      await wakeChats({ publisher: parts.publisher, log }, chats);
      await publishStored({ publisher: parts.publisher, log }, INBOUND_TOPIC, wakes);
      return counts;
    },
    say: ({ expired, voided }) => say('jobs.approvalsLooked', { expired, voided }),
    isNotable: ({ expired, escalated, reminded, voided }) => expired + escalated + reminded + voided > 0,
  };
}

/** Reminds approvers after a third of an approval's lifetime, asks admins after two thirds, ends expired requests. Each happens once. */
export async function watchApprovals(pool: Pool) {
  const { rows } = await pool.query<{ id: string; due: 'void' | 'expire' | 'escalate' | 'remind' }>(sql`
    select approval_id as id,
            case when unheard then 'void' when expires_at <= clock_timestamp() then 'expire'
                 when escalate_at <= clock_timestamp() then 'escalate' else 'remind' end as due
       from approvals a,
            lateral (select exists (select 1 from chats c where c.chat_key = chat_root(a.chat_key)
              and c.parked_at is not null) as unheard) u
      where status = 'pending'
        and (unheard or expires_at <= clock_timestamp() or escalate_at <= clock_timestamp() or remind_at <= clock_timestamp())
      order by expires_at limit ${BATCH}`);
  const counts = { void: 0, expire: 0, escalate: 0, remind: 0 };
  const chats: string[] = [];
  const wakes: WakeUp[] = [];
  for (const { id, due } of rows) {
    await withTransaction(pool, async (db) => {
      const approval = await findApproval(db, id, true);
      if (approval?.status !== 'pending') return;
      counts[due] += 1;
      if (due === 'expire' || due === 'void') {
        const approvals = new Approvals(db);
        const ended = await (due === 'void'
          ? approvals.voidPointless(approval, 'unheard')
          : approvals.expire(approval));
        chats.push(...ended.chats);
        if (ended.wake) wakes.push(ended.wake);
        return;
      }
      chats.push(...(due === 'escalate' ? await escalate(db, approval) : await remind(db, approval)));
    });
  }
  for (const { approvalId, why } of await listPointless(pool, BATCH)) {
    const told = await withTransaction(pool, (db) => withdrawPointless(db, approvalId, why));
    if (told !== null) counts.void += 1;
    chats.push(...(told ?? []));
  }
  const { void: voided, expire: expired, escalate: escalated, remind: reminded } = counts;
  return { expired, escalated, reminded, voided, chats: [...new Set(chats)], wakes };
}

/** Withdraws a request that has lost its point, and says so once where its card stands. Null when it was decided meanwhile. */
async function withdrawPointless(db: Queryable, approvalId: string, why: LostPoint): Promise<readonly string[] | null> {
  const approval = await findApproval(db, approvalId, true);
  if (approval?.status !== 'pending') return null;
  const ended = await new Approvals(db).voidPointless(approval, why);
  const chats = await listCardChats(db, approvalId);
  await putLocalized(db, chats, (chatKey) => ({
    key: `${approvalId}:pointless:${chatKey}`,
    chatKey,
    threadId: approval.threadId,
    traceId: approval.traceId,
    priority: SEND_PRIORITY.control,
    body: {
      text: say('governance.requestWithdrawn', { card: renderCardTitle(approval.card), why: sayLostPoint(why) }),
      buttons: [],
    },
  }));
  return [...ended.chats, ...chats];
}

async function remind(db: Queryable, approval: Approval): Promise<readonly string[]> {
  const leftMs = await findValue<number>(
    db,
    0,
  )`update approvals set remind_at = null where approval_id = ${approval.approvalId}
      returning greatest(0, extract(epoch from expires_at - clock_timestamp()) * 1000)::float8`;
  const all = await listCardChats(db, approval.approvalId);
  // In the requester's private chat nobody is reminded; other chats see a changed card without a notification.
  const chats = all.filter((chatKey) => all.length === 1 || chatKey !== approval.chatKey);
  await putLocalized(db, chats, (chatKey) => {
    const left = sayDuration(leftMs);
    const text = say('governance.approvalWaits', { card: renderCardTitle(approval.card), left });
    return {
      key: `${approval.approvalId}:remind:${chatKey}`,
      chatKey,
      threadId: approval.threadId,
      traceId: approval.traceId,
      priority: SEND_PRIORITY.control,
      body: { text: `${text}\n_${approval.approvalId}_`, buttons: [] },
    };
  });
  await appendAudit(db, [createApprovalEvent(approval, 'approval.reminded', 'system', { chats: chats.length })]);
  return chats;
}

/** Sends the admins an approval card of their own. */
async function escalate(db: Queryable, approval: Approval): Promise<readonly string[]> {
  await db.query(sql`update approvals set escalate_at = null, remind_at = null
      where approval_id = ${approval.approvalId}`);
  const known = await listCardChats(db, approval.approvalId);
  const admins = await listApproverChats(db, 'admin', approval.authors, { isNamedGroupUsed: false });
  const chats = admins.map(({ chatKey }) => chatKey).filter((chatKey) => !known.includes(chatKey));
  const votes = await listVotes(db, approval.approvalId);
  await putCards(db, approval, votes, chats);
  await appendAudit(db, [createApprovalEvent(approval, 'approval.escalated', 'system', { chats: chats.length })]);
  return chats;
}
