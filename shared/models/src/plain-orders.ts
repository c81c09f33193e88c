import { HumanMessage } from '@langchain/core/messages';
import type { BoundTool, ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { planNextMessage } from '@signalbox/planner/plan';

/**
 * Finds the agent that a text asks for without a model: by the phrases of the agents that the tool `handoff` lists, or as a plain order for
 * a tool of the catalog. Null when it asks for none of them. Pure.
 */
export function findOtherAgent(text: string, handoff: BoundTool, catalog: ToolCatalog): string | null {
  const messages = [new HumanMessage({ id: 'said', content: text })];
  const [call] = planNextMessage({ messages, tools: [handoff], catalog }).toolCalls;
  return call?.name === handoff.name && typeof call.args['agent'] === 'string' ? call.args['agent'] : null;
}
