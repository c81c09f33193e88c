import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import { renderCard } from '@signalbox/safety/cards/approval-card';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { putLocalized, type putOutbox } from '../conversation/outbox.ts';
import { listAccounts } from '../people/identities.ts';
import type { Queryable } from '../pool.ts';
import { findValue } from '../sql.ts';
import { listCardChats, findApproval, listVotes } from './approvals.ts';

/** Updates the approval card of a request in every chat with such a card. Idempotent. Returns the chats. */
export async function updateCards(db: Queryable, approvalId: string): Promise<readonly string[]> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return [];
  const votes = await listVotes(db, approvalId);
  const chats = await listCardChats(db, approvalId);
  await putCards(db, approval, votes, chats);
  return chats;
}

/**
 * Puts the approval card of a request into these chats, each in the language of its reader. `again`: the person who asked to see the card
 * again; the card then moves to the end of the chat, once per person.
 */
export async function putCards(
  db: Queryable,
  approval: Approval,
  votes: readonly ApprovalVote[],
  chats: readonly string[],
  again: string | null = null,
): Promise<void> {
  // Only the card of an undecided request has buttons; the requester gets other buttons than approvers.
  const accounts = approval.status === 'pending' ? await listAccounts(db, approval.userKey) : [];
  const ownChats = accounts.map(toPrivateChat);
  await putLocalized(db, chats, (chatKey) => cardRow(approval, votes, chatKey, { ownChats, again }));
}

/**
 * Shows the outcome of an action's run on its approval cards, in the transaction that ends the run; a later outcome replaces an earlier
 * one. Returns the chats of the cards; empty when the action needed no approval or the cards already show this outcome.
 */
export async function noteRunEnd(db: Queryable, actionId: string, line: string): Promise<readonly string[]> {
  const approvalId = await findValue<string>(db)`
    update approvals set reason = ${line} where action_id = ${actionId} and status = 'consumed' and reason is distinct from ${line}
     returning approval_id`;
  return approvalId === null ? [] : updateCards(db, approvalId);
}

/** Builds the outbox row of a card; it edits the previous version. `ownChats`: private chats of the requester. */
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
    priority: SEND_PRIORITY.control,
    slot: approvalId,
    body: {
      ...renderCard(approval, votes, isAsker ? 'requester' : 'approver'),
      ...(status === 'pending' && votes.length === 0 && approval.card.files ? { files: approval.card.files } : {}),
      // The requester also gets a message with the outcome; for other people, the card is only edited while its channel can edit it.
      ...(status === 'consumed' ? { onlyChanges: true } : {}),
      ...(again === null ? {} : { anew: true }),
    },
  };
}
