import { listUsers } from '@signalbox/store/people/users';
import * as words from '../../words.ts';
import type { ChatCommand } from '../chat-command.ts';
import { listInvitations } from '../invitations.ts';

export default {
  name: 'people',
  who: 'admin',
  personal: true,
  menu: { place: 10, description: 'menu.people' },
  help: 'help.people',
  answer: async ({ db }) => ({ text: words.people(await listUsers(db), await listInvitations(db)) }),
} satisfies ChatCommand;
