import { plainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';

/** Telegram sends it when a person opens the chat. An invitation's code behind it is tried before. */
export default {
  name: 'start',
  who: 'viewer',
  personal: false,
  menu: null,
  help: null,
  answer: (_, __, { envelope }) => ({ text: say('people.welcome', { name: plainName(envelope.name) }) }),
} satisfies ChatCommand;
