import { listUsersSeen } from '@signalbox/store/people/users';
import * as words from '../admin-words.ts';
import type { ChatCommand } from '../chat-command.ts';

/** More people do not fit a phone. */
const PEOPLE = 50;

/** People, their roles, and when they wrote last. */
export default {
  name: 'users',
  who: 'admin',
  personal: true,
  menu: { place: 50, description: 'menu.users' },
  help: null,
  answer: async ({ db }) => ({ text: words.users(await listUsersSeen(db, PEOPLE)) }),
} satisfies ChatCommand;
