import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { ChatCommand } from '../chat-command.ts';
import { changeAgent } from './agent.ts';

/** `/start` welcomes a person, who opens a Telegram chat with it; `/start agent_<id>` chooses an agent. Codes are tried before. */
export default {
  name: 'start',
  who: 'viewer',
  personal: false,
  menu: null,
  help: null,
  answer: async (parts, typed, asked) => {
    const welcome = say('people.welcome', { name: toPlainName(asked.envelope.name) });
    const [, agent] = /^agent_([a-z][a-z0-9_]*)$/i.exec(typed) ?? [];
    if (agent === undefined) return { text: welcome };
    const changed = await changeAgent(parts, agent, asked);
    return { ...changed, text: [welcome, changed.text].join('\n\n') };
  },
} satisfies ChatCommand;
