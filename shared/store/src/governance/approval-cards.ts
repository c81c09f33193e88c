import { PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import { renderCard } from '@signalbox/safety/cards/approval-card';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { putInTheirLanguage, type putOutbox } from '../conversation/outbox.ts';
import { listAccounts } from '../people/identities.ts';
import type { Queryable } from '../pool.ts';
import { findValue } from '../sql.ts';
import { listCardChats, findApproval, listVotes } from './approvals.ts';

/** Puts the newest state of a request into each chat where its card stands. Twice is one change. */
export async function showCards(db: Queryable, approvalId: string): Promise<readonly string[]> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return [];
  const votes = await listVotes(db, approvalId);
  const chats = await listCardChats(db, approvalId);
  await putCards(db, approval, votes, chats);
  return chats;
}

/**
 * Puts the card of a request into these chats, each in the language of its reader. `again`: who asked to see it once more; it comes to
 * the end of the chat, once for each of them.
 */
export async function putCards(
  db: Queryable,
  approval: Approval,
  votes: readonly ApprovalVote[],
  chats: readonly string[],
  again: string | null = null,
): Promise<void> {
  // Only an open card has buttons, and those differ.
  const accounts = approval.status === 'pending' ? await listAccounts(db, approval.userKey) : [];
  const ownChats = accounts.map(toPrivateChat);
  await putInTheirLanguage(db, chats, (chatKey) => cardRow(approval, votes, chatKey, { ownChats, again }));
}

/**
 * Makes the cards of an action say how its run ended, and answers their chats; none when nobody had to approve it, or they say so
 * already. A later run may have found out more: the newest word stands. In the transaction that ends the run.
 */
export async function noteRunEnd(db: Queryable, actionId: string, line: string): Promise<readonly string[]> {
  const approvalId = await findValue<string>(db)`
    update approvals set reason = ${line} where action_id = ${actionId} and status = 'consumed' and reason is distinct from ${line}
     returning approval_id`;
  return approvalId === null ? [] : showCards(db, approvalId);
}

/** The outbox row of a card, edited in place whenever it changes. `ownChats`: the private chats of whoever asked. */
function cardRow(
  approval: Approval,
  votes: readonly ApprovalVote[],
  chatKey: string,
  { ownChats, again }: { readonly ownChats: readonly string[]; readonly again: string | null },
): Parameters<typeof putOutbox>[1][number] {
  const { approvalId, status, traceId, threadId, turnId } = approval;
  const isAsker =
    approval.byRequester || (approval.card.requester !== '' && ownChats.includes(chatKey.split('/')[0] ?? ''));
  const state = `${status}:${votes.length}:${approval.reason === null ? '' : hashCanonical(approval.reason).slice(0, 12)}`;
  return {
    key: `${approvalId}:${chatKey}:${state}${again === null ? '' : `:${again}`}`,
    chatKey,
    userKey: null,
    threadId,
    turnId,
    traceId,
    priority: PRIORITY.control,
    slot: approvalId,
    body: {
      ...renderCard(approval, votes, isAsker ? 'requester' : 'approver'),
      // What came of it is told to whoever asked; the others have the card, as long as it can be changed.
      ...(status === 'consumed' ? { onlyChanges: true } : {}),
      ...(again === null ? {} : { anew: true }),
    },
  };
}
