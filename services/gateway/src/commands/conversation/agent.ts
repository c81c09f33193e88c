import { toPlainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import { describeAgent } from '@signalbox/messages/agents';
import { chooseAgent, findChosenAgent, listAgents } from '@signalbox/store/conversation/agents';
import type { ChatCommand } from '../chat-command.ts';
import type { GatewayAnswer, AnswerDeps, QuestionContext } from '../question.ts';
import { createSwitchButton, findAgents } from '../switches.ts';

/** `/agent <id or name>` switches the agent of this chat; `/agent` alone names the current one. */
export default {
  name: 'agent',
  who: 'viewer',
  personal: false,
  menu: null,
  help: null,
  answer: (parts, typed, asked) =>
    typed === '' ? describeCurrentAgent(parts, asked) : changeAgent(parts, typed, asked),
} satisfies ChatCommand;

/** Switches the agent of the chat. A name that no agent has is answered with buttons of similar ones, and nothing changes. */
export async function changeAgent(
  { db }: AnswerDeps,
  typed: string,
  { envelope }: QuestionContext,
): Promise<GatewayAnswer> {
  const agents = await listAgents(db);
  const { exact, near } = findAgents(typed, agents);
  if (exact && (await chooseAgent(db, envelope, exact.id))) {
    const { name, does } = describeAgent(exact);
    const usual = agents.find(({ isDefault }) => isDefault);
    const buttons = usual && usual.id !== exact.id ? [createSwitchButton('agents.back', usual)] : [];
    return { text: say('agents.chosen', { name, does }), buttons };
  }
  if (near.length > 0) {
    const text = say('agents.near', { typed: toPlainName(typed) });
    return { text, buttons: near.map((agent) => createSwitchButton('agents.ask', agent)) };
  }
  const known = agents.map(({ id }) => id).join(', ');
  return { text: sayError('AGENT_UNKNOWN', { id: toPlainName(typed), known }) };
}

async function describeCurrentAgent({ db }: AnswerDeps, { envelope }: QuestionContext): Promise<GatewayAnswer> {
  const agent = await findChosenAgent(db, envelope);
  if (!agent) return { text: say('agents.none') };
  const { name, does } = describeAgent(agent);
  return { text: say('agents.current', { name, does }) };
}
