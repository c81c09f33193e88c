import { toPlainName } from '@signalbox/contracts/plain-name';
import { z } from 'zod';
import { ProjectName, ThreadId } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, READ_DEFAULTS, tool, toolGroup, type ToolContext } from '../tools/tool.ts';

/** The number of newest passes over which the uses of nodes are counted. */
const PASSES_COUNTED = 200;

const OwnOrOther = ThreadId.optional().describe('Id of a conversation, such as user_1001_3; this one when left out');
const Node = z
  .enum(['intent_parser', 'product_owner', 'po_tools'])
  .describe('Node of the graph')
  .meta({ ask: 'Which node: intent_parser, product_owner or po_tools?' });

export default toolGroup({
  name: 'admin',
  summary: 'Inspect and repair the system itself: nodes of conversations, their state, and what a project left behind.',
  uses: ['graphNodes'],
  tools: {
    list_graph_nodes: tool({
      describe: 'List the nodes of the graph behind a conversation: when each ran last, passes, tool calls, outcome.',
      hints: [
        'list the graph nodes',
        'which nodes does the graph have',
        'show the nodes of the agent graph',
        'list the graph nodes of thread user_1002_3',
        'when did each node run last',
        'what nodes are there',
        'show the graph',
      ],
      input: z.object({ thread: OwnOrOther }),
      ...LOOK_UP_DEFAULTS,
      role: 'admin',
      deadlineMs: 10_000,
      run: async ({ thread: given }, { ports, threadId }) => {
        const thread = await ports.graphNodes.thread(given ?? threadId);
        const passes = await ports.graphNodes.passes(thread.threadId, PASSES_COUNTED);
        const { agent, status, userName } = thread;
        const nodes = ports.graphNodes.graph(agent).map(({ name, does, after }) => {
          const ran = passes.filter(({ record }) => ranIn(record, name));
          const calls = name === TOOLS ? ran.flatMap(({ record }) => record.calls) : [];
          const [last] = ran;
          return {
            node: name,
            does,
            after,
            passes: ran.length,
            tool_calls: calls.length,
            failed_calls: calls.filter(({ result }) => !result.ok).length,
            last_ran: last?.startedAt.toISOString() ?? null,
            last_outcome: last ? (last.record.outcome ?? last.outcome) : null,
          };
        });
        return { thread: thread.threadId, agent, status, person: userName, nodes };
      },
      phrases: {
        done: ({ thread, agent, status, person, nodes }) => {
          const lines = nodes.map(
            ({ node, passes, tool_calls: calls, failed_calls: failed, last_ran: at, last_outcome: outcome }) => {
              if (at === null) return `- ${say('diagnose.hasNotRun', { node })}`;
              const figures = { passes, calls, failed, last: clock(at), outcome: outcome ?? 'unknown' };
              return `- ${say('diagnose.hasRun', { node, ...figures })}`;
            },
          );
          return `**${thread}** (${person}, ${agent}, ${status}):\n\n${lines.join('\n')}`;
        },
      },
    }).from({
      thread: 'runtime',
      agent: 'runtime',
      status: 'runtime',
      person: 'name',
      nodes: {
        node: 'runtime',
        does: 'manual',
        after: 'runtime',
        passes: 'runtime',
        tool_calls: 'runtime',
        failed_calls: 'runtime',
        last_ran: 'runtime',
        last_outcome: 'runtime',
      },
    }),

    get_node_state: tool({
      describe:
        'Show the state of a node of a conversation: what it was given last, what it left, and the state as it is stored.',
      hints: [
        'show the state of a node',
        'show the state of the node product_owner',
        'what is the state of po_tools in thread user_1002_3',
        'get the state of node intent_parser',
        'inspect the node product_owner',
        'node state of po_tools',
      ],
      input: z.object({ node: Node, thread: OwnOrOther }),
      ...READ_DEFAULTS,
      touchesPrivate: true,
      role: 'admin',
      deadlineMs: 10_000,
      run: async ({ node, thread: given }, { ports, threadId }) => {
        const thread = await ports.graphNodes.thread(given ?? threadId);
        const passes = await ports.graphNodes.passes(thread.threadId, PASSES_COUNTED);
        const last = passes.find(({ record }) => ranIn(record, node));
        const asks = last?.record.asks.filter((ask) => ask.node === node) ?? [];
        return {
          thread: thread.threadId,
          person: thread.userName,
          node,
          last: last
            ? {
                turn: last.turnId,
                pass: last.record.pass,
                at: last.startedAt.toISOString(),
                outcome: last.record.outcome ?? last.outcome,
                models: asks.map(({ model, durationMs }) => ({ model, duration_ms: durationMs })),
                answer: node === TOOLS ? null : (last.record.answer?.text ?? null),
                calls:
                  node === TOOLS
                    ? last.record.calls.map(({ callId, result }) => ({ id: callId, ok: result.ok, say: result.say }))
                    : [],
              }
            : null,
          state: await ports.graphNodes.state(thread.threadId),
        };
      },
      phrases: {
        done: ({ thread, person, node, last, state }) => {
          const of = { node, thread, person };
          const head = last
            ? say('diagnose.ranLast', { ...of, at: clock(last.at), pass: last.pass, outcome: last.outcome })
            : say('diagnose.neverRan', of);
          return `${head}\n\n${toCodeBlock(JSON.stringify(state, null, 1).slice(0, 2_500))}`;
        },
      },
    }).from({ thread: 'runtime', person: 'name', node: 'runtime', last: 'outside', state: 'outside' }),

    trigger_node_manually: tool({
      describe:
        'Have a node of an open conversation run again: intent_parser reads the newest words anew, product_owner asks the model again, po_tools proposes failed calls again.',
      hints: [
        'trigger a node manually',
        'trigger the node product_owner in thread user_1002_3',
        'run the node po_tools again in user_1002_3',
        'trigger intent_parser by hand for user_1002_3',
        'wake the node product_owner of user_1002_3',
        'manually trigger po_tools',
      ],
      input: z.object({
        thread: ThreadId.meta({ ask: 'In which conversation (such as user_1001_3)?' }),
        node: Node,
      }),
      risk: () => ({ risk: 'dangerous', reasons: [say('diagnose.nodesGoesOn')] }),
      resources: ({ thread, node }) => [`thread:${thread}`, `node:${node}`],
      told: ['thread', 'node'],
      preview: ({ thread, node }) => ({
        what: say('diagnose.trigger', { node, thread }),
        change: say('diagnose.triggerChange', { node }),
        reach: say('diagnose.reach'),
        undo: say('diagnose.undo'),
      }),
      role: 'admin',
      egress: false,
      lock: ({ thread }) => `thread:${thread}`,
      deadlineMs: 10_000,
      replay: 'harmless',
      probe: async ({ thread, node }, { ports, actionId }) =>
        (await ports.graphNodes.isPut(actionId)) ? { kind: 'done', output: { thread, node } } : { kind: 'not-done' },
      run: async ({ thread, node }, context) => {
        const { ports, actionId, actor } = context;
        const { agent } = await mustBeOpen(context, thread);
        const known = ports.graphNodes.graph(agent).map(({ name }) => name);
        if (!known.includes(node))
          throw new AppError('NOT_FOUND', { kind: 'node', name: node, known: known.join(', ') });
        await ports.graphNodes.runAgain({
          threadId: thread,
          node,
          actionId,
          say: say('diagnose.triggeredBy', { person: toPlainName(actor.name), node }),
        });
        return { thread, node };
      },
      phrases: {
        order: ({ thread, node }) => say('diagnose.nodeOrder', { node, thread }),
        done: ({ thread, node }) => say('diagnose.runsAgain', { node, thread }),
      },
    }).from({ thread: 'runtime', node: 'runtime' }),

    clear_project_state: tool({
      describe:
        'Forget what conversations know of a project: open ones about it are closed, and their people start afresh. Deployments and records stay.',
      hints: [
        'clear the project state',
        'clear the project state of shop',
        'forget the state of project shop',
        'reset the conversational state of shop',
        'wipe the project state for blog',
        'make the conversations forget shop',
      ],
      input: z.object({ project: ProjectName }),
      risk: () => ({ risk: 'dangerous', reasons: [say('diagnose.othersLoseThread')] }),
      resources: ({ project }) => [`project:${project}`],
      told: ['project'],
      preview: ({ project }) => ({
        what: say('diagnose.forget', { project }),
        change: say('diagnose.forgetChange'),
        reach: say('diagnose.forgetReach'),
        undo: say('diagnose.forgetUndo'),
      }),
      role: 'admin',
      egress: false,
      deadlineMs: 15_000,
      replay: 'harmless',
      run: async ({ project }, { ports, threadId, actionId }) => {
        const { closed, busy } = await ports.graphNodes.clearProject(project, threadId, actionId);
        return { project, closed: namedOf(closed), busy: namedOf(busy) };
      },
      probe: async ({ project }, { wrote }) => {
        const mark = await wrote();
        if (mark === null) return { kind: 'not-done' };
        // clearProject wrote this result: titles of closed conversations cannot be read anywhere else afterwards.
        const { closed, busy } = mark.result as { closed: Cleared; busy: Cleared };
        return { kind: 'done', output: { project, closed: namedOf(closed), busy: namedOf(busy) } };
      },
      phrases: {
        order: ({ project }) => say('diagnose.clearOrder', { project }),
        done: ({ project, closed, busy }) => {
          return [
            say('diagnose.closed', { count: closed.length, project }),
            ...(closed.length === 0 ? [] : [lines(closed)]),
            ...(busy.length === 0 ? [] : [say('diagnose.leftAlone', { count: busy.length }), lines(busy)]),
            say('diagnose.recordsStay'),
          ].join('\n\n');
        },
      },
    }).from({ project: 'name', closed: 'outside', busy: 'outside' }),
  },
});

type Cleared = Awaited<ReturnType<ToolContext['ports']['graphNodes']['clearProject']>>['closed'];

const namedOf = (threads: Cleared) =>
  threads.map(({ threadId: thread, userName: person, title }) => ({ thread, person, title }));

const [PARSER, TOOLS] = ['intent_parser', 'po_tools'];

type Passes = Awaited<ReturnType<ToolContext['ports']['graphNodes']['passes']>>;

/** True when the node took part; the intent parser asks no model where a model answers. */
function ranIn({ runs, asks }: Passes[number]['record'], node: string): boolean {
  if (node === PARSER) return runs.read !== null;
  return node === TOOLS ? runs.acted !== null : asks.some((ask) => ask.node === node);
}

async function mustBeOpen({ ports, threadId }: ToolContext, thread: string) {
  const found = await ports.graphNodes.thread(thread);
  if (found.threadId === threadId) throw new AppError('CONVERSATION_IS_THIS', {});
  if (found.status !== 'open') throw new AppError('CONVERSATION_OVER', { thread, status: found.status });
  return found;
}

const lines = (
  threads: readonly { readonly thread: string; readonly person: string; readonly title: string | null }[],
): string =>
  threads
    .map(
      ({ thread, person, title }) =>
        `- ${say('diagnose.thread', { thread, person: toPlainName(person), isTitled: title !== null, title: toPlainName(title ?? '') })}`,
    )
    .join('\n');

const clock = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;
