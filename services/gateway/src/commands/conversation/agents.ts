import { describeAgent } from '@signalbox/messages/agents';
import { say } from '@signalbox/messages/say';
import { findChosenAgent, listAgents } from '@signalbox/store/conversation/agents';
import type { ChatCommand } from '../chat-command.ts';

export default {
  name: 'agents',
  who: 'viewer',
  personal: false,
  menu: { place: 94, description: 'menu.agents' },
  help: 'help.agents',
  answer: async ({ db }, _, { envelope }) => {
    const agents = await listAgents(db);
    if (agents.length === 0) return { text: say('agents.none') };
    const chosen = await findChosenAgent(db, envelope);
    const lines = agents.map((agent) => {
      const { name, does } = describeAgent(agent);
      return say('agents.line', { id: agent.id, name, does, isChosen: agent.id === chosen?.id ? 'yes' : 'no' });
    });
    return { text: [say('agents.list'), '', ...lines].join('\n') };
  },
} satisfies ChatCommand;
