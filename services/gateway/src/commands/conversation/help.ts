import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
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

export function describeHelp(commands: readonly ChatCommand[], role: Role): string {
  const listLines = (forAdmins: boolean): readonly string[] =>
    commands.flatMap(({ who, help }) =>
      help !== null && coversRole(role, who) && (who === 'admin') === forAdmins ? [say(help)] : [],
    );
  return [[say('help.intro')], [say('help.examples', { role })], listLines(false), listLines(true)]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n');
}
