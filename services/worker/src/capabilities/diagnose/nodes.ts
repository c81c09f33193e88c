import { plainName } from '@signalbox/contracts/plain-name';
import { z } from 'zod';
import { ThreadId } from '@signalbox/contracts/conversation/fields';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { AppError, REFUSALS } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { CHANGE, READ, tool, type ToolContext } from '../../tools/tool.ts';
import { code } from './words.ts';

const PASSES = 20;
const SHOWN = 6;

const Node = z.enum(['intent_parser', 'product_owner', 'po_tools']);

export const getNodeLogs = tool({
  describe:
    'Show what a node of a conversation did in its last passes: questions to the model, calls of tools, what came of them.',
  hints: [
    'show the node logs of po_tools',
    'node logs of thread user_1002_3',
    'what did the node product_owner do',
    'logs of the node intent_parser in user_1002_3',
    'get the node logs',
    'what did po_tools do in the last passes',
  ],
  input: z.object({
    thread: ThreadId.optional().describe('Id of a conversation, such as user_1001_3; this one when left out'),
    node: Node.optional().describe('Node of the graph; all of them when left out'),
  }),
  ...READ,
  touchesPrivate: true,
  deadlineMs: 10_000,
  run: async ({ thread: given, node }, context) => {
    const { ports, threadId } = context;
    const thread = await ports.graphNodes.thread(given ?? threadId);
    mustBeTheirs(context, thread.userKey);
    const passes = await ports.graphNodes.passes(thread.threadId, PASSES);
    const entries = passes.flatMap(({ turnId, startedAt, outcome, error, record }) => {
      const asks = record.asks
        .filter((ask) => node === undefined || ask.node === node)
        .map((ask) => ({ node: ask.node, what: `asked ${ask.model}`, ok: true, ms: ask.durationMs }));
      const calls =
        node === undefined || node === 'po_tools'
          ? record.calls.map(({ callId, result, durationMs, decided }) => ({
              node: 'po_tools',
              what: `${decided?.action.tool ?? 'call'} ${callId}: ${result.ok ? 'done' : (result.code ?? 'failed')}. ${result.say.split('\n')[0] ?? ''}`,
              ok: result.ok,
              ms: durationMs,
            }))
          : [];
      const did = [...asks, ...calls];
      return did.length === 0
        ? []
        : [{ turn: turnId, pass: record.pass, at: startedAt.toISOString(), outcome, error, did }];
    });
    return { thread: thread.threadId, person: thread.userName, node: node ?? 'all nodes', entries };
  },
  phrases: {
    done: ({ thread, node, entries }) => {
      if (entries.length === 0) return say('diagnose.leftNothing', { node: code(node), thread });
      const lines = entries.slice(0, SHOWN).flatMap(({ at, pass, outcome, error, did }) => [
        say('diagnose.pass', {
          at: at.slice(0, 19).replace('T', ' '),
          pass,
          outcome,
          hasError: error !== null,
          error: error ?? '',
        }),
        ...did.map(({ what, ms }) => `- ${code(what.slice(0, 200))} (${ms} ms)`),
      ]);
      const more = entries.length > SHOWN ? [say('diagnose.earlierPasses', { count: entries.length - SHOWN })] : [];
      return [say('diagnose.newestFirst', { thread, node: code(node) }), lines.join('\n'), ...more].join('\n\n');
    },
  },
});

export const retryFailedNode = tool({
  describe:
    'Have the node at which the last turn of another conversation failed run again; what was done before is not repeated.',
  hints: [
    'retry the failed node of user_1002_3',
    'retry failed node',
    'try the failed turn of user_1002_3 again',
    'run the failed step of thread user_1002_3 again',
    'repeat the failed node in user_1002_3',
    'restart the failed turn of user_1002_3',
  ],
  input: z.object({ thread: ThreadId.meta({ ask: 'Of which conversation (such as user_1001_3)?' }) }),
  // In somebody else's name: only admins come so far, and a person looks at each.
  ...CHANGE,
  risk: () => ({ risk: 'dangerous', reasons: [say('diagnose.nodesGoesOn')] }),
  resources: ({ thread }) => [`thread:${thread}`],
  preview: async ({ thread }, { ports }) => {
    const { node, why } = await failedNode(ports, thread);
    return {
      what: say('diagnose.retry', { node, thread }),
      change: say('diagnose.retryChange', { node, why }),
      reach: say('diagnose.reach'),
      undo: say('diagnose.undo'),
    };
  },
  holds: 'records',
  lock: ({ thread }) => `thread:${thread}`,
  deadlineMs: 10_000,
  probe: async ({ thread }, { ports, actionId }) =>
    (await ports.graphNodes.isPut(actionId))
      ? { kind: 'done', output: { thread, node: 'unknown', why: '' } }
      : { kind: 'not-done' },
  run: async ({ thread }, context) => {
    const { ports, actionId, actor, threadId } = context;
    const found = await ports.graphNodes.thread(thread);
    mustBeTheirs(context, found.userKey);
    if (thread === threadId) throw new AppError('CONFLICT', { detail: say('diagnose.thisConversation') });
    const failed = await failedNode(ports, thread);
    const news = say('diagnose.retriedBy', { person: plainName(actor.name), node: failed.node });
    await ports.graphNodes.runAgain({ threadId: thread, node: failed.node, actionId, say: news });
    return { thread, ...failed };
  },
  phrases: {
    order: ({ thread }) => say('diagnose.retryOrder', { thread }),
    done: ({ thread, node }) => say('diagnose.runsAgain', { node, thread }),
  },
});

/** A turn has at most 100 passes, and MAX_PASSES is 20 unless somebody changed it. */
const PASSES_OF_TURN = 100;

type Ports = Pick<ToolContext['ports'], 'graphNodes'>;

/** Where the last turn failed. Throws NOT_FOUND, CONFLICT when it did not, or when what it did is not known. */
async function failedNode(ports: Ports, thread: string): Promise<{ readonly node: string; readonly why: string }> {
  await ports.graphNodes.thread(thread);
  const passes = await ports.graphNodes.passes(thread, PASSES_OF_TURN);
  const [last] = passes;
  if (!last) throw new AppError('CONFLICT', { detail: say('diagnose.noTurn', { thread }) });
  const { record, outcome, error } = last;
  // The newest step that used tools: the one after it tells the person how that went.
  const used = passes.find(
    (pass) =>
      pass.turnId === last.turnId && pass.record.calls.some(({ decided, result }) => decided !== null || !result.ok),
  );
  const failed = used?.record.calls.filter(({ result }) => !result.ok && !REFUSALS.has(result.code ?? '')) ?? [];
  const unsure = failed.filter(
    ({ result }) => result.code === 'TOOL_TIMED_OUT' || result.code === 'TOOL_OUTCOME_UNKNOWN',
  );
  if (unsure.length > 0) throw new AppError('CONFLICT', { detail: say('diagnose.unsure') });
  if (failed.length > 0) return { node: 'po_tools', why: say('diagnose.callsFailed', { count: failed.length }) };
  if (outcome === 'failed' || outcome === 'limit')
    return { node: record.asks.at(-1)?.node ?? 'product_owner', why: error ?? say('diagnose.endedAs', { outcome }) };
  throw new AppError('CONFLICT', { detail: say('diagnose.notFailed', { thread, outcome }) });
}

/** Conversations are their people's and the admins'. */
function mustBeTheirs({ actor }: Pick<ToolContext, 'actor'>, userKey: string): void {
  if (userKey === actor.userKey || roleCovers(actor.role, 'admin')) return;
  throw new AppError('NOT_PERMITTED', { role: actor.role, needed: 'admin' });
}
