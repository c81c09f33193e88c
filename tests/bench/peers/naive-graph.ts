import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Annotation, END, MessagesAnnotation, START, StateGraph, type BaseCheckpointSaver } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createScriptedModel } from '../../support/scripted-model.ts';
import type pg from 'pg';
import { z } from 'zod';
import { answerTo } from './model-script.ts';

/** The fixed model, in this process. */
const scripted = createScriptedModel((messages) => {
  const last = messages.findLastIndex(HumanMessage.isInstance);
  const tools = { read: 'get_project', write: 'create_project' };
  return answerTo(String(messages[last]?.content ?? ''), tools, messages.slice(last).some(ToolMessage.isInstance));
});

/**
 * The graph of a bot that follows LangGraph's guide, with the steps of ours: a node for the intent (it asks no model), the model, two
 * tools. Without a pool its tools answer from memory, which is what LangGraph itself costs. `model`: instead of the fixed one.
 */
export function buildNaiveGraph(
  pool: pg.Pool | null,
  checkpointer?: BaseCheckpointSaver,
  model: BaseChatModel = scripted,
) {
  const read = tool(
    async ({ project }) => {
      const found = await pool?.query('select * from bench_projects where name = $1', [project]);
      return JSON.stringify(found?.rows ?? { project });
    },
    { name: 'get_project', description: 'Show a project.', schema: z.object({ project: z.string() }) },
  );
  const write = tool(
    async ({ name, description }) => {
      await pool?.query('insert into bench_projects (name, description) values ($1, $2) on conflict do nothing', [
        name,
        description,
      ]);
      return JSON.stringify({ name });
    },
    {
      name: 'create_project',
      description: 'Create a project.',
      schema: z.object({ name: z.string(), description: z.string() }),
    },
  );
  const bound = model.bindTools?.([read, write]) ?? model;
  const State = Annotation.Root({ ...MessagesAnnotation.spec, intent: Annotation<string> });
  return new StateGraph(State)
    .addNode('intent_parser', () => ({ intent: 'ask' }))
    .addNode('agent', async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
    .addNode('tools', new ToolNode([read, write]))
    .addEdge(START, 'intent_parser')
    .addEdge('intent_parser', 'agent')
    .addConditionalEdges('agent', ({ messages }) => (callsOf(messages.at(-1)) > 0 ? 'tools' : END))
    .addEdge('tools', 'agent')
    .compile(checkpointer ? { checkpointer } : {});
}

function callsOf(message: BaseMessage | undefined): number {
  return AIMessage.isInstance(message) ? (message.tool_calls?.length ?? 0) : 0;
}
