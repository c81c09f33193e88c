import { roleCovers } from '@signalbox/contracts/governance/roles';
import { listPending, listVotes } from '@signalbox/store/governance/approvals';
import type { Queryable } from '@signalbox/store/pool';
import type { ChatCommand } from '../chat-command.ts';
import * as words from '../governance-words.ts';
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
    const counted = await Promise.all(
      open.map(async (approval) => ({ approval, votes: await listVotes(db, approval.approvalId) })),
    );
    return { text: words.pending(counted) };
  },
} satisfies ChatCommand;

async function choosePlace(db: AnswerParts['db'], place: 'here' | 'private', asked: Asked): Promise<Answer> {
  const { chatKey, chatKind } = asked.envelope;
  if (!roleCovers(asked.role, 'admin')) return refuse(asked, 'admin');
  if (place === 'here' && chatKind !== 'group') return { text: words.ONLY_IN_GROUPS, personal: false };
  await nameApprovalsChat(db, place === 'here' ? chatKey : null);
  await recordCommand(db, asked, 'role.changed', {
    role: asked.role,
    approvalsChat: place === 'here' ? chatKey : 'private',
  });
  return { text: place === 'here' ? words.APPROVALS_HERE : words.APPROVALS_PRIVATE, personal: false };
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
