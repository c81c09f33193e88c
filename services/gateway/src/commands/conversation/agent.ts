import { plainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import { chooseAgent, findChosenAgent, listAgents } from '@signalbox/store/conversation/agents';
import type { ChatCommand } from '../chat-command.ts';
import type { Answer, AnswerParts, Asked } from '../question.ts';

/** `/agent <id>`: another agent answers in this chat from now on. Alone it says which one does. */
export default {
  name: 'agent',
  who: 'viewer',
  personal: false,
  menu: null,
  help: null,
  answer: (parts, typed, asked) => (typed === '' ? describeChosen(parts, asked) : changeAgent(parts, typed, asked)),
} satisfies ChatCommand;

/** Lets the agent of that id answer in the chat of whoever asked. */
export async function changeAgent({ db }: AnswerParts, typed: string, { envelope }: Asked): Promise<Answer> {
  const id = typed.trim().toLowerCase().replaceAll('-', '_');
  const agent = (await listAgents(db)).find((one) => one.id === id);
  if (!agent || !(await chooseAgent(db, envelope, id))) {
    const known = (await listAgents(db)).map((one) => one.id).join(', ');
    return { text: sayError('AGENT_UNKNOWN', { id: plainName(typed), known }) };
  }
  return { text: say('agents.chosen', { id, summary: agent.summary }) };
}

async function describeChosen({ db }: AnswerParts, { envelope }: Asked): Promise<Answer> {
  const agent = await findChosenAgent(db, envelope);
  if (!agent) return { text: say('agents.none') };
  return { text: say('agents.current', { id: agent.id, summary: agent.summary }) };
}
