import { coversRole } from '@signalbox/contracts/governance/roles';
import { say } from '@signalbox/messages/say';
import { listPending, listRefused, listVotes } from '@signalbox/store/governance/approvals';
import { renderCardTitle } from '@signalbox/safety/cards/approval-card';
import { escapeLine } from '@signalbox/safety/cards/canonical-card';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import { sayDuration } from '@signalbox/messages/duration';
import { listAccounts } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import { sql } from '@signalbox/store/sql';
import { putSetting } from '@signalbox/store/settings';
import type { ChatCommand } from '../chat-command.ts';
import { renderApprovalScope } from '../bound-view.ts';
import { refuseRole, type GatewayAnswer, type AnswerDeps, type QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';
import { chooseCards } from '../sent-cards.ts';

/** `/approvals` lists pending requests; with an id, one in full. `here` and `private` choose where approval cards are sent. */
export default {
  name: 'approvals',
  who: 'viewer',
  personal: true,
  menu: { place: 40, description: 'menu.approvals' },
  help: 'help.approvals',
  answer: async ({ db }, typed, asked) => {
    if (typed === 'here' || typed === 'private') return chooseApprovalsChat(db, typed, asked);
    const ownAccounts = await listAccounts(db, asked.envelope.userKey);
    const accounts = coversRole(asked.role, 'operator') ? null : ownAccounts;
    const all = await listPending(db, accounts);
    const requested = all.filter(({ approvalId }) => approvalId === typed);
    const open = requested.length > 0 ? requested : all;
    const lines: string[] = [];
    for (const approval of open) lines.push(describePending(approval, await listVotes(db, approval.approvalId)));
    const { putBelow, ...sent } = await chooseCards(db, open, asked, ownAccounts);
    const waiting =
      lines.length === 0
        ? say('control.nothing-pending')
        : `${say('control.pending')}\n${lines.join('\n')}\n\n${say('control.pending-where', sent)}`;
    const [request] = requested;
    const bound = request ? await renderApprovalScope(db, request, asked) : null;
    if (bound !== null) return { text: `${bound}\n\n${waiting}`, isExact: true, putBelow };
    const refused = await listRefused(db, { accounts, days: REFUSED_DAYS, limit: MAX_REFUSED });
    if (refused.length === 0) return { text: waiting, putBelow };
    return { text: `${waiting}\n\n${say('control.refused')}\n${refused.map(describeRefused).join('\n')}`, putBelow };
  },
} satisfies ChatCommand;

async function chooseApprovalsChat(
  db: AnswerDeps['db'],
  place: 'here' | 'private',
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  const { chatKey, chatKind } = asked.envelope;
  if (!coversRole(asked.role, 'admin')) return refuseRole(asked, 'admin');
  if (place === 'here' && chatKind !== 'group') return { text: say('control.only-in-groups'), personal: false };
  await setApprovalsChat(db, place === 'here' ? chatKey : null);
  await auditCommand(db, asked, 'role.changed', { approvalsChat: place === 'here' ? chatKey : 'private' });
  return { text: say(`control.approvals-${place}`), personal: false };
}

/** Sets the group that gets approval cards. Null sends them to the approvers' private chats. */
async function setApprovalsChat(db: Queryable, chatKey: string | null): Promise<void> {
  if (chatKey === null) await db.query(`delete from settings where key = 'approvals_chat'`);
  else await putSetting(db, 'approvals_chat', sql`jsonb_build_object('chatKey', ${chatKey}::text)`);
}

/** Refused requests stay listed this long, since the requester may have been away. */
const REFUSED_DAYS = 7;
const MAX_REFUSED = 10;

function describeRefused({ card, status, reason, approvalId }: Approval): string {
  const requester = escapeLine(card.requester);
  const why = { hasReason: reason !== null, reason: escapeLine(reason ?? '') };
  return say('control.refused-one', { title: renderCardTitle(card), requester, status, ...why, approvalId });
}

function describePending(
  { card, needed, expiresAt, approvalId }: Approval,
  votes: readonly ApprovalVote[],
  now = Date.now(),
): string {
  return say('control.pending-one', {
    title: renderCardTitle(card),
    requester: escapeLine(card.requester),
    votes: votes.length,
    needed,
    left: sayDuration(Math.max(0, expiresAt.getTime() - now)),
    approvalId,
  });
}
