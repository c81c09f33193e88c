import type { AIMessage } from '@langchain/core/messages';
import { END, START, StateGraph } from '@langchain/langgraph';
import type { ThreadStates } from '../agent.ts';
import { createIntentParserNode } from './intent-parser.ts';
import type { GraphNodeDeps } from './parts.ts';
import { createPoToolsNode } from './po-tools.ts';
import { createProductOwnerNode } from './product-owner.ts';
import { SessionState } from './state.ts';

/*
 * START → intent_parser (a new task) → product_owner
 * START → product_owner (a continued task)
 * product_owner → po_tools (calls) → product_owner …
 * product_owner → END (an answer without calls, or the pass limit)
 * po_tools → END (waiting for an answer, or finished)
 *
 * Nodes contain no loops: every pass goes through the graph. A waiting conversation is a checkpoint at END, never a blocked process.
 */

export const GRAPH_NODES = [
  { name: 'intent_parser', does: 'Reads a new task and loads the groups of tools that it needs.', after: ['start'] },
  {
    name: 'product_owner',
    does: 'Asks the model, which answers or proposes calls of tools.',
    after: ['start', 'intent_parser', 'po_tools'],
  },
  { name: 'po_tools', does: 'Carries proposed calls through governance, one after another.', after: ['product_owner'] },
] as const;

export function buildGraph(parts: GraphNodeDeps, checkpoints: ThreadStates | undefined) {
  return new StateGraph(SessionState)
    .addNode('intent_parser', createIntentParserNode(parts))
    .addNode('product_owner', createProductOwnerNode(parts))
    .addNode('po_tools', createPoToolsNode(parts))
    .addConditionalEdges(START, (state) => (state.skipIntentParser ? 'product_owner' : 'intent_parser'), [
      'intent_parser',
      'product_owner',
    ])
    .addEdge('intent_parser', 'product_owner')
    .addConditionalEdges('product_owner', routeAfterModel, ['po_tools', END])
    .addConditionalEdges('po_tools', routeAfterTools, ['product_owner', END])
    .compile(checkpoints ? { checkpointer: checkpoints } : {});
}

function routeAfterModel(state: SessionState): 'po_tools' | typeof END {
  if (state.limitReached) return END;
  const last = state.messages.at(-1) as AIMessage | undefined; // The node product_owner always appends a model's answer
  return (last?.tool_calls?.length ?? 0) > 0 ? 'po_tools' : END;
}

function routeAfterTools(state: SessionState): 'product_owner' | typeof END {
  return state.awaitingUserResponse || state.taskGoesOn || state.userConfirmedComplete ? END : 'product_owner';
}
