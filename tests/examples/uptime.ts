import { sayDuration } from '@signalbox/messages/duration';
import type { ChatCommand } from '@signalbox/gateway/commands/chat-command';

export default {
  name: 'uptime',
  who: 'operator',
  personal: true,
  menu: null,
  help: null,
  answer: () => ({ text: sayDuration(process.uptime() * 1_000) }),
} satisfies ChatCommand;
