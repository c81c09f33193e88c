import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listUsers, type User } from '@signalbox/store/people/users';
import type { ChatCommand } from '../chat-command.ts';
import { toInviteeValues, listInvitations, type Invitation } from '../invitations.ts';

/** As many people as fit on a phone; the terminal lists all. */
const MAX_LISTED = 50;

export default {
  name: 'people',
  who: 'admin',
  personal: true,
  menu: { place: 10, description: 'menu.people' },
  help: 'help.people',
  answer: async ({ db }) => ({ text: describePeople(await listUsers(db), await listInvitations(db)) }),
} satisfies ChatCommand;

export function describePeople(users: readonly User[], invitations: readonly Invitation[], now = Date.now()): string {
  const people = users
    .slice(0, MAX_LISTED)
    .map(({ name, userKey, role }) => say('people.person', { name: toPlainName(name), userKey, role }));
  const more = users.length - people.length;
  const open = invitations.slice(0, MAX_LISTED).map((invitation) => {
    const left = sayDuration(invitation.expiresAt.getTime() - now);
    return say('people.open-invitation', { ...toInviteeValues(invitation), left });
  });
  return [
    say('people.list', { count: users.length }),
    '',
    ...people,
    ...(more > 0 ? [say('people.more', { count: more })] : []),
    ...(open.length > 0 ? ['', say('people.open-invitations'), '', ...open] : []),
  ].join('\n');
}
