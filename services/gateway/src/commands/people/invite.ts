import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';
import { createInvitation, toInviteeValues, INVITATION_TTL_MS } from '../invitations.ts';
import { describeUsage, parseRole } from '../people-changes.ts';

export default {
  name: 'invite',
  asksWhenOld: true,
  who: 'admin',
  personal: true,
  menu: { place: 20, description: 'menu.invite' },
  help: 'help.invite',
  answer: async ({ db, channel }, typed, { envelope }) => {
    // Every reader in the group could use the code.
    if (envelope.chatKind === 'group') return { text: say('people.invite-in-private') };
    const { role, name } = parseRole(typed);
    if (role === null) return { text: describeUsage('/invite <role> [name]', typed) };
    const code = await createInvitation(db, { role, name, invitedBy: envelope.userKey, chatKey: envelope.chatKey });
    const link = channel.link?.(code);
    const invitation = { ...toInviteeValues({ role, name }), left: sayDuration(INVITATION_TTL_MS) };
    const parts = [say('people.invitation', invitation), `\`${code}\``, ...(link ? [link] : []), say('people.pass-on')];
    // Only this text holds the code, so the history keeps `afterwards` instead.
    return { text: parts.join('\n\n'), afterwards: say('people.invitation-made', invitation) };
  },
} satisfies ChatCommand;
