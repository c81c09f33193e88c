import type { Approval } from '@signalbox/contracts/governance/approval';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { putCards } from '@signalbox/store/governance/approval-cards';
import { listApproverChats, listCardChats, listVotes } from '@signalbox/store/governance/approvals';
import type { Queryable } from '@signalbox/store/pool';
import type { QuestionContext } from './question.ts';

/** The most cards per answer; others are sent by id. */
const MAX_CARDS = 8;

/**
 * Chooses approval cards to send: of requests that the sender may decide or made; in a group only those that all may see. Approvers not
 * reached before get theirs. `left`: cards over the limit; `isElsewhere`: some are not for this chat.
 */
export async function chooseCards(
  db: Queryable,
  open: readonly Approval[],
  { envelope, role }: QuestionContext,
  own: readonly string[],
): Promise<{
  readonly putBelow: () => Promise<readonly string[]>;
  readonly sent: number;
  readonly left: number;
  readonly isElsewhere: boolean;
}> {
  const { id, chatKey, chatKind } = envelope;
  const chosen: { readonly approval: Approval; readonly unreached: readonly string[] }[] = [];
  let elsewhereCount = 0;
  for (const approval of open) {
    const mayDecide = !approval.byRequester && coversRole(role, approval.role);
    if (!mayDecide && !own.includes(approval.userKey)) continue;
    const cardChatKeys = await listCardChats(db, approval.approvalId);
    const readers = approval.byRequester ? [] : await listApproverChats(db, approval.role, approval.authors);
    const visibleIn = new Set([...cardChatKeys, ...readers.map((reader) => reader.chatKey)]);
    if (chatKind === 'group' && !visibleIn.has(chatKey)) elsewhereCount += 1;
    else
      chosen.push({
        approval,
        unreached: [...visibleIn].filter((chat) => chat !== chatKey && !cardChatKeys.includes(chat)),
      });
  }
  const sentNow = chosen.slice(0, MAX_CARDS);
  const putBelow = async (): Promise<readonly string[]> => {
    for (const { approval, unreached } of sentNow) {
      const votes = await listVotes(db, approval.approvalId);
      await putCards(db, approval, votes, unreached);
      await putCards(db, approval, votes, [chatKey], id);
    }
    return sentNow.flatMap(({ unreached }) => [chatKey, ...unreached]);
  };
  return { putBelow, sent: sentNow.length, left: chosen.length - sentNow.length, isElsewhere: elsewhereCount > 0 };
}
