import * as words from '../../words.ts';
import type { ChatCommand } from '../chat-command.ts';
import { createInvitation, INVITATION_MS } from '../invitations.ts';
import { describeUsage, readRole } from '../people-changes.ts';

/** `/invite <role> [name]`: a code that lets one person in. */
export default {
  name: 'invite',
  who: 'admin',
  personal: true,
  menu: { place: 20, description: 'menu.invite' },
  help: 'help.invite',
  answer: async ({ db, channel }, typed, { envelope }) => {
    // Every reader of the code may use it.
    if (envelope.chatKind === 'group') return { text: words.ONLY_IN_PRIVATE };
    const { role, name } = readRole(typed);
    if (role === null) return { text: describeUsage('/invite <role> [name]', typed) };
    const code = await createInvitation(db, { role, name, invitedBy: envelope.userKey, chatKey: envelope.chatKey });
    const invitation = { role, name, validMs: INVITATION_MS };
    return {
      text: words.invitation({ ...invitation, code, link: channel.inviteLink(code) }),
      afterwards: words.invitationMade(invitation),
    };
  },
} satisfies ChatCommand;
