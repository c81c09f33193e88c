import { AIMessage } from '@langchain/core/messages';
import type { AgentRun } from '../agent.ts';
import { BASE_TOOLS, isBaseTool } from './base-tools.ts';

type Call = NonNullable<AIMessage['tool_calls']>[number];

/**
 * Adds the runtime's look-ups to an answer: buttons for an argument question, and the meaning of “the newest” in a
 * call. Before the answer is stored, so that conversation and record hold what was shown and called.
 */
export async function withLookUps(answer: AIMessage, { lookUp }: Pick<AgentRun, 'lookUp'>): Promise<AIMessage> {
  if (!lookUp) return answer;
  const calls: Call[] = [];
  for (const call of answer.tool_calls ?? []) calls.push(await withLookUp(call, lookUp));
  if (calls.every((call, place) => call === answer.tool_calls?.[place])) return answer;
  const { id, content, additional_kwargs: extras } = answer;
  return new AIMessage({ ...(id === undefined ? {} : { id }), content, tool_calls: calls, additional_kwargs: extras });
}

async function withLookUp(call: Call, lookUp: NonNullable<AgentRun['lookUp']>): Promise<Call> {
  const { id = '', name, args } = call;
  if (name !== 'respond_to_user') {
    const meant = isBaseTool(name) ? null : await lookUp.meant(id, name, args);
    return meant ? { ...call, args: meant } : call;
  }
  const asked = BASE_TOOLS.respond_to_user.input.safeParse(args).data;
  if (!asked?.asks || !asked.awaiting_response || asked.choices.length > 0) return call;
  const choices = await lookUp.choices(id, asked.asks);
  return choices.length === 0
    ? call
    : { ...call, args: { ...args, choices: choices.map((value) => ({ label: value, value })) } };
}
