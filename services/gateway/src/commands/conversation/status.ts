import { readLaneStatus } from '../../admission/inbox.ts';
import * as words from '../../words.ts';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'status',
  who: 'viewer',
  personal: true,
  menu: { place: 30, description: 'menu.status' },
  help: 'help.status',
  answer: async ({ db }, _, { envelope }) => {
    const status = await readLaneStatus(db, envelope.userKey, envelope.chatKey);
    return { text: words.status(status), personal: false };
  },
} satisfies ChatCommand;
