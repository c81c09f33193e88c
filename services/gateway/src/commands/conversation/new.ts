import type { ChatCommand } from '../chat-command.ts';

/** `/new` starts a new conversation; text after it becomes that conversation's first message. */
export default {
  name: 'new',
  who: 'viewer',
  forPrograms: true,
  personal: false,
  menu: { place: 10, description: 'menu.new' },
  help: 'help.new',
  answer: null,
} satisfies ChatCommand;
