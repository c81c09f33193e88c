import type { AgentMessage, AgentPlugin, AgentRecord, AgentRun } from '@signalbox/worker/agents/agent';

const plugin: AgentPlugin = {
  id: 'echo',
  class: 'READ_ONLY_SCAN',
  summary: 'Says again what it reads.',
  stateVersion: 1,
  nodes: [], // it asks no model
  graph: [],
  create: () => ({
    run: async ({ messages, run, threadNew }) => ({
      outcome: 'answered',
      replies: messages.map(({ id, text }) => ({ key: id, text: `You said: ${text}`, buttons: [] })),
      personal: false,
      unhandled: [],
      passes: 0,
      toolCalls: 0,
      task: null,
      record: recordOf(run, messages, threadNew),
    }),
    note: async ({ run, messages, isNew }) => recordOf(run, messages, isNew),
  }),
};

export default plugin;

function recordOf(
  { turnId, actor }: Pick<AgentRun, 'turnId' | 'actor'>,
  messages: readonly AgentMessage[],
  isNew: boolean,
): AgentRecord {
  return { passes: [], messages, isNew, run: { turnId, came: messages.length, actor } };
}
