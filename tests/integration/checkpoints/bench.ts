import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { Lane } from '@signalbox/store/conversation/lane';
import { Checkpoints, type CheckpointFormat } from '@signalbox/worker/checkpoints/checkpoints';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import type pg from 'pg';
import { createDatabase, openRawPool } from '../../support/database.ts';

/** A database with the tables of checkpoints and one lane that is held. */
export async function openCheckpointBench() {
  const database = await createDatabase();
  const pool = openRawPool(database.url);
  await createCheckpointTables(pool);
  await pool.query(`insert into lanes (user_key, epoch, worker, lease_until) values ('7', 1, 'test', 'infinity')`);
  return {
    pool,
    lane: { userKey: '7', epoch: '1' } satisfies Lane,
    /** The lane is taken again, as by the next turn or another worker. */
    takeLane: async (): Promise<Lane> => {
      const { rows } = await pool.query<{ epoch: string }>(
        `update lanes set epoch = epoch + 1 where user_key = '7' returning epoch::text`,
      );
      return { userKey: '7', epoch: rows[0]?.epoch ?? '' };
    },
    /** Bytes of all rows of a thread as they lie in the tables, without the texts of its messages. */
    bytesOf: async (threadId: string): Promise<number> => {
      const { rows } = await pool.query<{ bytes: number }>(
        `select (select coalesce(sum(pg_column_size(c.*)), 0) from langgraph.checkpoints c where thread_id = $1)::int
              + (select coalesce(sum(pg_column_size(b.*)), 0) from langgraph.checkpoint_blobs b where thread_id = $1)::int as bytes`,
        [threadId],
      );
      return rows[0]?.bytes ?? 0;
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

export type CheckpointBench = Awaited<ReturnType<typeof openCheckpointBench>>;

/** A conversation whose every turn is a question and its answer. */
export function openConversation(pool: pg.Pool, form: CheckpointFormat = 'incremental') {
  const checkpoints = new Checkpoints(pool, form);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('answer', ({ messages }) => ({ messages: [new AIMessage({ content: `about ${messages.at(-1)?.text}` })] }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: checkpoints });
  const config = (threadId: string) => ({ configurable: { thread_id: threadId } });
  return {
    checkpoints,
    graph,
    /** A turn: what is said goes in, its state is stored when it ends. */
    async say(threadId: string, lane: Lane, messages: readonly BaseMessage[]): Promise<readonly BaseMessage[]> {
      checkpoints.open(threadId, lane, false);
      let isStored = false;
      try {
        const state = await graph.invoke({ messages: [...messages] }, config(threadId));
        await checkpoints.flush(threadId);
        isStored = true;
        return state.messages;
      } finally {
        checkpoints.close(threadId, isStored);
      }
    },
    /** The messages as another worker reads them. */
    async read(threadId: string): Promise<readonly BaseMessage[]> {
      const tuple = await new Checkpoints(pool).getTuple(config(threadId));
      return (tuple?.checkpoint.channel_values['messages'] ?? []) as BaseMessage[];
    },
  };
}

export const human = (text: string, id?: string): HumanMessage =>
  new HumanMessage({ content: text, ...(id ? { id } : {}) });
