import { roleCovers } from '@signalbox/contracts/governance/roles';
import { say } from '@signalbox/messages/say';
import { listPending, listVotes } from '@signalbox/store/governance/approvals';
import { cardTitle } from '@signalbox/safety/cards/approval-card';
import { escapeLine } from '@signalbox/safety/cards/canonical-card';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import { sayDuration } from '@signalbox/messages/duration';
import type { Queryable } from '@signalbox/store/pool';
import type { ChatCommand } from '../chat-command.ts';
import { refuse, type Answer, type AnswerParts, type Asked } from '../question.ts';
import { recordCommand } from '../record.ts';

/** `/approvals`: what waits; an operator sees everyone's. `here` and `private` choose where requests are shown. */
export default {
  name: 'approvals',
  who: 'viewer',
  personal: true,
  menu: { place: 40, description: 'menu.approvals' },
  help: 'help.approvals',
  answer: async ({ db }, typed, asked) => {
    if (typed === 'here' || typed === 'private') return choosePlace(db, typed, asked);
    const open = await listPending(db, roleCovers(asked.role, 'operator') ? null : asked.envelope.userKey);
    if (open.length === 0) return { text: say('control.nothing-pending') };
    const lines: string[] = [];
    for (const approval of open) lines.push(describePending(approval, await listVotes(db, approval.approvalId)));
    return { text: `${say('control.pending')}\n${lines.join('\n')}\n\n${say('control.pending-where')}` };
  },
} satisfies ChatCommand;

async function choosePlace(db: AnswerParts['db'], place: 'here' | 'private', asked: Asked): Promise<Answer> {
  const { chatKey, chatKind } = asked.envelope;
  if (!roleCovers(asked.role, 'admin')) return refuse(asked, 'admin');
  if (place === 'here' && chatKind !== 'group') return { text: say('control.only-in-groups'), personal: false };
  await nameApprovalsChat(db, place === 'here' ? chatKey : null);
  await recordCommand(db, asked, 'role.changed', { approvalsChat: place === 'here' ? chatKey : 'private' });
  return { text: say(`control.approvals-${place}`), personal: false };
}

/** The group in which requests are shown to those who decide. Null: their private chats. */
async function nameApprovalsChat(db: Queryable, chatKey: string | null): Promise<void> {
  if (chatKey === null) await db.query(`delete from settings where key = 'approvals_chat'`);
  else
    await db.query(
      `insert into settings (key, value) values ('approvals_chat', jsonb_build_object('chatKey', $1::text))
       on conflict (key) do update set value = excluded.value, updated_at = now()`,
      [chatKey],
    );
}

function describePending(
  { card, needed, expiresAt, approvalId }: Approval,
  votes: readonly ApprovalVote[],
  now = Date.now(),
): string {
  return say('control.pending-one', {
    title: cardTitle(card),
    requester: escapeLine(card.requester),
    votes: votes.length,
    needed,
    left: sayDuration(Math.max(0, expiresAt.getTime() - now)),
    approvalId,
  });
}
