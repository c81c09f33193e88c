import { toPlainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import { chooseAgent, findChosenAgent, listAgents } from '@signalbox/store/conversation/agents';
import type { ChatCommand } from '../chat-command.ts';
import type { GatewayAnswer, AnswerDeps, QuestionContext } from '../question.ts';

/** `/agent <id>` switches the agent of this chat; `/agent` alone names the current one. */
export default {
  name: 'agent',
  who: 'viewer',
  personal: false,
  menu: null,
  help: null,
  answer: (parts, typed, asked) =>
    typed === '' ? describeCurrentAgent(parts, asked) : changeAgent(parts, typed, asked),
} satisfies ChatCommand;

export async function changeAgent(
  { db }: AnswerDeps,
  typed: string,
  { envelope }: QuestionContext,
): Promise<GatewayAnswer> {
  const id = typed.trim().toLowerCase().replaceAll('-', '_');
  const agent = (await listAgents(db)).find((one) => one.id === id);
  if (!agent || !(await chooseAgent(db, envelope, id))) {
    const knownIds = (await listAgents(db)).map((one) => one.id).join(', ');
    return { text: sayError('AGENT_UNKNOWN', { id: toPlainName(typed), known: knownIds }) };
  }
  return { text: say('agents.chosen', { id, summary: agent.summary }) };
}

async function describeCurrentAgent({ db }: AnswerDeps, { envelope }: QuestionContext): Promise<GatewayAnswer> {
  const agent = await findChosenAgent(db, envelope);
  if (!agent) return { text: say('agents.none') };
  return { text: say('agents.current', { id: agent.id, summary: agent.summary }) };
}
