import { plainName } from '@signalbox/contracts/plain-name';
import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { tool, toolGroup, type ToolContext } from '../tools/tool.ts';

/** Passes that a list of nodes is counted from. */
const PASSES_COUNTED = 200;

const Thread = z
  .string()
  .trim()
  .min(1)
  .max(160)
  .regex(/^[\w:.-]+$/, 'a conversation is named like user_1001_3')
  .describe('Id of a conversation, such as user_1001_3');
const OwnOrOther = Thread.optional().describe('Id of a conversation, such as user_1001_3; this one when left out');
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
      risk: 'safe',
      role: 'admin',
      holds: 'records',
      egress: false,
      deadlineMs: 10_000,
      replay: 'harmless',
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
              if (at === null) return `- \`${node}\`: has not run`;
              const tools = calls > 0 ? `, ${count(calls, 'tool call')}${failed > 0 ? ` (${failed} failed)` : ''}` : '';
              return `- \`${node}\`: ${count(passes, 'pass')}${tools}, last ${clock(at)}, ${outcome ?? 'unknown'}`;
            },
          );
          return `**${thread}** (${person}, ${agent}, ${status}):\n\n${lines.join('\n')}`;
        },
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
      risk: 'safe',
      touchesPrivate: true,
      role: 'admin',
      egress: false,
      deadlineMs: 10_000,
      replay: 'harmless',
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
          const ran = last
            ? `It ran last at ${clock(last.at)} in pass ${last.pass}: ${last.outcome}.`
            : 'It has not run there yet.';
          return `\`${node}\` in **${thread}** (${person}). ${ran}\n\n${fence(JSON.stringify(state, null, 1).slice(0, 2_500))}`;
        },
      },
    }),

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
        thread: Thread.meta({ ask: 'In which conversation (such as user_1001_3)?' }),
        node: Node,
      }),
      risk: () => ({ risk: 'dangerous', reasons: ['The conversation goes on in the name of its person.'] }),
      resources: ({ thread, node }) => [`thread:${thread}`, `node:${node}`],
      preview: ({ thread, node }) => ({
        what: `Run ${node} again in ${thread}`,
        change: WHAT_AGAIN[node],
        reach: 'The conversation and whatever its next calls do; each of them is decided by policy on its own.',
        undo: 'Not taken back by itself. Effects that were done before are not repeated.',
      }),
      role: 'admin',
      holds: 'records',
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
          say: `_${plainName(actor.name)} had \`${node}\` run again._`,
        });
        return { thread, node };
      },
      phrases: {
        done: ({ thread, node }) => `\`${node}\` runs again in **${thread}**; what comes of it is said there.`,
      },
    }),

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
      risk: () => ({ risk: 'dangerous', reasons: ['Other people lose the thread of their conversations.'] }),
      resources: ({ project }) => [`project:${project}`],
      preview: ({ project }) => ({
        what: `Forget the conversations about ${project}`,
        change: 'Open conversations that are about the project, or whose task names it, are closed.',
        reach: 'Everybody who is talking about it. Deployments, servers, approvals and the audit stay as they are.',
        undo: 'Not taken back; what was said stays on record, and people can ask again.',
      }),
      role: 'admin',
      holds: 'records',
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
        // It was written by clearProject: the titles of what was closed cannot be read from anywhere else afterwards.
        const { closed, busy } = mark.result as { closed: Cleared; busy: Cleared };
        return { kind: 'done', output: { project, closed: namedOf(closed), busy: namedOf(busy) } };
      },
      phrases: {
        done: ({ project, closed, busy }) => {
          const what =
            closed.length === 0
              ? `No open conversation but this one is about **${project}**; nothing was cleared.`
              : `I closed ${count(closed.length, 'conversation')} about **${project}**:\n\n${lines(closed)}`;
          const left =
            busy.length === 0
              ? ''
              : `\n\nSomebody is working in ${count(busy.length, 'other')}, so I left that alone; try again in a moment:\n\n${lines(busy)}`;
          return `${what}${left}\n\nDeployments and records are as they were. This conversation stays open.`;
        },
      },
    }),
  },
});

type Cleared = Awaited<ReturnType<ToolContext['ports']['graphNodes']['clearProject']>>['closed'];

const namedOf = (threads: Cleared) =>
  threads.map(({ threadId: thread, userName: person, title }) => ({ thread, person, title }));

const TOOLS = 'po_tools';

/** What running a node again means; the graph says it in its own words. */
const WHAT_AGAIN = {
  intent_parser: 'The newest words of its person are read as a new task, and the model is asked.',
  product_owner: 'The model is asked about the newest words of its person once more.',
  po_tools: 'Calls of the last step that failed are proposed once more, as new actions.',
} as const;

type Passes = Awaited<ReturnType<ToolContext['ports']['graphNodes']['passes']>>;

function ranIn(record: Passes[number]['record'], node: string): boolean {
  return node === TOOLS ? record.runs.acted !== null : record.asks.some((ask) => ask.node === node);
}

async function mustBeOpen({ ports, threadId }: ToolContext, thread: string) {
  const found = await ports.graphNodes.thread(thread);
  if (found.threadId === threadId)
    throw new AppError('CONFLICT', { detail: 'That is this very conversation: just say it again instead.' });
  if (found.status !== 'open')
    throw new AppError('CONFLICT', {
      detail: `The conversation ${thread} is ${found.status}: nothing can go on in it.`,
    });
  return found;
}

const lines = (
  threads: readonly { readonly thread: string; readonly person: string; readonly title: string | null }[],
): string =>
  threads
    .map(
      ({ thread, person, title }) => `- \`${thread}\` of ${plainName(person)}${title ? `: ${plainName(title)}` : ''}`,
    )
    .join('\n');

const clock = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

function count(n: number, noun: string): string {
  if (n === 1) return `1 ${noun}`;
  return `${n} ${noun}${noun.endsWith('s') ? 'es' : 's'}`;
}
