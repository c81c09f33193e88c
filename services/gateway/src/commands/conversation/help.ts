import { roleCovers, type Role } from '@signalbox/contracts/governance/roles';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'help',
  who: 'viewer',
  forPrograms: true,
  personal: true,
  menu: { place: 70, description: 'menu.help' },
  help: null,
  answer: ({ commands }, _, { role }) => ({ text: describeHelp(commands, role), personal: false }),
} satisfies ChatCommand;

/** What a person of this role can ask for, and the commands that they may use. */
export function describeHelp(commands: readonly ChatCommand[], role: Role): string {
  const lines = (ofAdmins: boolean): readonly string[] =>
    commands.flatMap(({ who, help }) =>
      help !== null && roleCovers(role, who) && (who === 'admin') === ofAdmins ? [say(help)] : [],
    );
  return [[say('help.intro')], [say('help.examples', { role })], lines(false), lines(true)]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}
