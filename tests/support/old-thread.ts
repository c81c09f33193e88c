import { readFileSync } from 'node:fs';
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { Annotation, messagesStateReducer, StateGraph } from '@langchain/langgraph';
import type { Pool } from '@signalbox/store/pool';
import { Checkpoints } from '@signalbox/worker/checkpoints/checkpoints';

/** A state of version 1 as the mortgage agent stored it: its fields beside those of all agents. */
export const MORTGAGE_STATE_1 = JSON.parse(
  readFileSync(new URL('../fixtures/mortgage-state-1.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

/** Opens a conversation with the mortgage agent whose state was written by a graph of version 1. Answers its thread. */
export async function openOldThread(
  pool: Pool,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
  values: Record<string, unknown> = MORTGAGE_STATE_1,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`select thread_open($1, $2, 'mortgage') as id`, [userKey, chatKey]);
  const threadId = rows[0]?.id ?? '';
  const channels = Object.fromEntries(Object.keys(values).map((name) => [name, Annotation<unknown>()]));
  const State = Annotation.Root({
    ...channels,
    messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('old_node', () => ({}))
    .addEdge('__start__', 'old_node')
    .compile({ checkpointer: new Checkpoints(pool) });
  const said = [
    new HumanMessage({ id: 'old_1', content: 'fix it for five years' }),
    new AIMessage({ id: 'old_2', content: 'Done.' }),
  ];
  await graph.updateState({ configurable: { thread_id: threadId } }, { ...values, messages: said }, 'old_node');
  return threadId;
}

/** The newest state of a conversation, as a worker reads it. */
export async function readState(pool: Pool, threadId: string) {
  const tuple = await new Checkpoints(pool).getTuple({ configurable: { thread_id: threadId } });
  return { id: tuple?.checkpoint.id, values: tuple?.checkpoint.channel_values ?? {} };
}
