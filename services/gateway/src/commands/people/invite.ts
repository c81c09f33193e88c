import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';
import { createInvitation, describeInvited, INVITATION_MS } from '../invitations.ts';
import { describeUsage, readRole } from '../people-changes.ts';

/** `/invite <role> [name]`: a code that lets one person in. */
export default {
  name: 'invite',
  asksWhenOld: true,
  who: 'admin',
  personal: true,
  menu: { place: 20, description: 'menu.invite' },
  help: 'help.invite',
  answer: async ({ db, channel }, typed, { envelope }) => {
    // Every reader of the code may use it.
    if (envelope.chatKind === 'group') return { text: say('people.invite-in-private') };
    const { role, name } = readRole(typed);
    if (role === null) return { text: describeUsage('/invite <role> [name]', typed) };
    const code = await createInvitation(db, { role, name, invitedBy: envelope.userKey, chatKey: envelope.chatKey });
    const link = channel.link?.(code);
    const invitation = { ...describeInvited({ role, name }), left: sayDuration(INVITATION_MS) };
    const parts = [say('people.invitation', invitation), `\`${code}\``, ...(link ? [link] : []), say('people.pass-on')];
    // The text is the only place that holds the code.
    return { text: parts.join('\n\n'), afterwards: say('people.invitation-made', invitation) };
  },
} satisfies ChatCommand;
