import { startModelServer, type AskedMessage, type ModelAnswer, type ModelServer } from './model-server.ts';

export type EngineeringNode = 'planner' | 'executor' | 'critic';
type Call = { readonly name: string; readonly args: unknown };
/** What a node does next, given its conversation and how often it was asked in it. */
export type NodeScript = (messages: readonly AskedMessage[], turn: number) => Call | readonly Call[];

/** A model server that plays the nodes of a change of code, and for people's words the calls that a test names. */
export function startEngineeringModel(
  nodes: Readonly<Record<EngineeringNode, NodeScript>>,
  agent: (said: string) => Call | null,
): Promise<ModelServer & { readonly asked: readonly { readonly node: EngineeringNode; readonly text: string }[] }> {
  const asked: { node: EngineeringNode; text: string }[] = [];
  return startModelServer((messages, tools) => {
    const node = readNode(tools);
    if (node === null) return answerPerson(messages, agent);
    asked.push({ node, text: messages.map(({ content }) => content).join('\n') });
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const calls = nodes[node](messages, turn);
    return { toolCalls: [calls].flat() };
  }).then((server) => ({ ...server, asked }));
}

/** The nodes are told apart by their tools, which are their powers. */
function readNode(tools: readonly string[]): EngineeringNode | null {
  if (tools.includes('submit_plan')) return 'planner';
  if (tools.includes('submit_critique')) return 'critic';
  return tools.includes('finish') && tools.includes('run_checks') ? 'executor' : null;
}

function answerPerson(messages: readonly AskedMessage[], agent: (said: string) => Call | null): ModelAnswer {
  const last = messages.at(-1);
  if (last?.role !== 'user') return { content: `It says: ${last?.content.slice(0, 600) ?? ''}` };
  const call = agent(last.content);
  return call ? { toolCalls: [call] } : { content: 'Noted.' };
}
