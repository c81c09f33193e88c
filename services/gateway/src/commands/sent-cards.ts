import type { Approval } from '@signalbox/contracts/governance/approval';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { putCards } from '@signalbox/store/governance/approval-decisions';
import { approverChats, cardChats, listVotes } from '@signalbox/store/governance/approvals';
import type { Queryable } from '@signalbox/store/pool';
import type { Asked } from './question.ts';

/** More cards than this push each other out of sight; the others come by their id. */
const MAX_CARDS = 8;

/**
 * The cards of these requests for whoever asked for them: those that they may decide about, and those of their own. In a group only the
 * cards that everybody there may see anyhow. Approvers who could not be reached when it was asked for get theirs along with it.
 * `left`: cards that are not sent for their number; `isElsewhere`: some are not for this chat.
 */
export async function chooseCards(
  db: Queryable,
  open: readonly Approval[],
  { envelope, role }: Asked,
  own: readonly string[],
): Promise<{
  readonly putBelow: () => Promise<readonly string[]>;
  readonly sent: number;
  readonly left: number;
  readonly isElsewhere: boolean;
}> {
  const { id, chatKey, chatKind } = envelope;
  const chosen: { readonly approval: Approval; readonly unreached: readonly string[] }[] = [];
  let elsewhere = 0;
  for (const approval of open) {
    const mayDecide = !approval.byRequester && roleCovers(role, approval.role);
    if (!mayDecide && !own.includes(approval.userKey)) continue;
    const standsIn = await cardChats(db, approval.approvalId);
    const readers = approval.byRequester ? [] : await approverChats(db, approval.role, approval.authors);
    const shownIn = new Set([...standsIn, ...readers.map((reader) => reader.chatKey)]);
    if (chatKind === 'group' && !shownIn.has(chatKey)) elsewhere += 1;
    else
      chosen.push({
        approval,
        unreached: [...shownIn].filter((chat) => chat !== chatKey && !standsIn.includes(chat)),
      });
  }
  const now = chosen.slice(0, MAX_CARDS);
  const putBelow = async (): Promise<readonly string[]> => {
    for (const { approval, unreached } of now) {
      const votes = await listVotes(db, approval.approvalId);
      await putCards(db, approval, votes, unreached);
      await putCards(db, approval, votes, [chatKey], id);
    }
    return now.flatMap(({ unreached }) => [chatKey, ...unreached]);
  };
  return { putBelow, sent: now.length, left: chosen.length - now.length, isElsewhere: elsewhere > 0 };
}
