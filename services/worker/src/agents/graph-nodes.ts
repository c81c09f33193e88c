import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import {
  clearProjectState,
  findGraphThread,
  isNodeRunRequested,
  listRecordedPasses,
  requestNodeRun,
} from '@signalbox/store/turns/graph-nodes';
import type { Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { redactValue } from '@signalbox/safety/redact/redact';
import type { AgentGraphs, NodePass } from '../tools/ports/graph-nodes.ts';
import type { AgentPlugin } from './agent.ts';
import { Checkpoints } from '../checkpoints/checkpoints.ts';

const MESSAGES_SHOWN = 12;
const TEXT_SHOWN = 400;

/** Creates access to what graph nodes did and know in conversations, read from records and checkpoints. */
export function createGraphNodeReader(pool: Pool, plugins: readonly AgentPlugin[]): AgentGraphs {
  const checkpoints = new Checkpoints(pool);
  return {
    thread: async (threadId) => {
      const thread = await findGraphThread(pool, threadId);
      if (!thread)
        throw new AppError('NOT_FOUND', { kind: 'conversation', name: threadId, known: 'the ones that /status names' });
      return thread;
    },
    graph: (agent) => plugins.find(({ id }) => id === agent)?.graph ?? [],
    passes: async (threadId, limit) =>
      (await listRecordedPasses(pool, threadId, limit)).flatMap((pass): readonly NodePass[] => {
        const parsed = ExecutionTurn.safeParse(pass.record);
        return parsed.success ? [{ ...pass, record: parsed.data }] : [];
      }),
    state: async (threadId) => {
      const tuple = await checkpoints.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: '' } });
      const { messages, record: _, ...values } = tuple?.checkpoint.channel_values ?? {};
      const shown = Object.entries(values).filter(([name]) => !/^(__|branch:|start:)/.test(name));
      const all = Array.isArray(messages) ? (messages as readonly BaseMessage[]) : []; // LangGraph stores only messages in this channel
      return redactValue({
        ...Object.fromEntries(shown),
        messages: all.length,
        newest: all.slice(-MESSAGES_SHOWN).map(describe),
      });
    },
    runAgain: (request) => requestNodeRun(pool, request),
    isPut: (actionId) => isNodeRunRequested(pool, actionId),
    clearProject: (project, except, actionId) => clearProjectState(pool, project, except, actionId),
  };
}

function describe(message: BaseMessage): Readonly<Record<string, unknown>> {
  const text = message.text.slice(0, TEXT_SHOWN);
  if (HumanMessage.isInstance(message)) return { from: 'person', text };
  if (ToolMessage.isInstance(message))
    return { from: `tool ${message.name ?? ''}`, ok: message.status !== 'error', text };
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []).map(({ name }) => name) : [];
  return { from: 'agent', text, ...(calls.length > 0 ? { calls } : {}) };
}
