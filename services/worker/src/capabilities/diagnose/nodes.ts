import { toPlainName } from '@signalbox/contracts/plain-name';
import { z } from 'zod';
import { ThreadId } from '@signalbox/contracts/conversation/fields';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { AppError, REFUSAL_CODES } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { tool, type ToolContext } from '../../tools/tool.ts';
import { formatCode } from './sentences.ts';

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
  risk: 'safe',
  touchesPrivate: true,
  role: 'developer',
  egress: false,
  deadlineMs: 10_000,
  replay: 'harmless',
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
      if (entries.length === 0) return say('diagnose.leftNothing', { node: formatCode(node), thread });
      const lines = entries.slice(0, SHOWN).flatMap(({ at, pass, outcome, error, did }) => [
        say('diagnose.pass', {
          at: at.slice(0, 19).replace('T', ' '),
          pass,
          outcome,
          hasError: error !== null,
          error: error ?? '',
        }),
        ...did.map(({ what, ms }) => `- ${formatCode(what.slice(0, 200))} (${ms} ms)`),
      ]);
      const more = entries.length > SHOWN ? [say('diagnose.earlierPasses', { count: entries.length - SHOWN })] : [];
      return [say('diagnose.newestFirst', { thread, node: formatCode(node) }), lines.join('\n'), ...more].join('\n\n');
    },
  },
}).from({ thread: 'runtime', person: 'name', node: 'runtime', entries: 'outside' });

export const retryFailedNode = tool({
  describe:
    'Have the node at which the last turn of a conversation failed run again; what was done before is not repeated. Without a thread it is this conversation.',
  hints: [
    'retry the failed node of user_1002_3',
    'retry failed node',
    'try the failed turn of user_1002_3 again',
    'run the failed step of thread user_1002_3 again',
    'repeat the failed node in user_1002_3',
    'restart the failed turn of user_1002_3',
    'try the failed step again',
    'retry the step that failed',
  ],
  input: z.object({
    thread: ThreadId.optional().describe('Id of a conversation, such as user_1001_3; this one when left out'),
  }),
  // In this conversation policy decides about each call again before it runs. A named conversation may belong to another person, so there
  // only an admin may retry, and a second person approves the retry.
  risk: ({ thread }) =>
    thread === undefined ? 'sensitive' : { risk: 'dangerous', reasons: [say('diagnose.nodesGoesOn')] },
  resources: ({ thread }) => (thread === undefined ? [] : [`thread:${thread}`]),
  told: ['thread'],
  preview: async ({ thread }, { ports }) => {
    // In the person's own conversation only a policy rule that an operator added asks for an approval.
    if (thread === undefined) return ownPreview();
    const { node, why } = await failedNode(ports, thread);
    return {
      what: say('diagnose.retry', { node, thread }),
      change: say('diagnose.retryChange', { node, why }),
      reach: say('diagnose.reach'),
      undo: say('diagnose.undo'),
    };
  },
  role: 'developer',
  egress: false,
  lock: ({ thread }) => (thread === undefined ? null : `thread:${thread}`),
  deadlineMs: 10_000,
  replay: 'harmless',
  probe: async ({ thread }, { ports, actionId, threadId }) => {
    if (!(await ports.graphNodes.isPut(actionId))) return { kind: 'not-done' };
    return { kind: 'done', output: { thread: thread ?? threadId, own: thread === undefined, node: 'unknown' } };
  },
  run: async ({ thread: given }, context) => {
    const { ports, actionId, actor, threadId } = context;
    const thread = given ?? threadId;
    const own = given === undefined;
    const found = await ports.graphNodes.thread(thread);
    mustBeTheirs(context, found.userKey);
    const { node, about } = await failedNode(ports, thread, own);
    const news = own ? say('diagnose.onceMore') : say('diagnose.retriedBy', { person: toPlainName(actor.name), node });
    const request = { threadId: thread, node, actionId, say: news };
    await ports.graphNodes.runAgain(about === null ? request : { ...request, about });
    return { thread, own, node };
  },
  phrases: {
    order: ({ thread }) => (thread === undefined ? say('diagnose.retryOwn') : say('diagnose.retryOrder', { thread })),
    done: ({ thread, own, node }) => (own ? say('diagnose.ownRunsAgain') : say('diagnose.runsAgain', { node, thread })),
  },
}).from({ thread: 'runtime', own: 'runtime', node: 'runtime' });

function ownPreview() {
  return { what: say('diagnose.retryOwn'), change: '', reach: say('diagnose.reach'), undo: say('diagnose.undo') };
}

/** A turn has at most 100 passes; MAX_PASSES is 20 by default. */
const PASSES_OF_TURN = 100;

type Ports = Pick<ToolContext['ports'], 'graphNodes'>;

interface Failed {
  readonly node: string;
  readonly why: string;
  readonly about: string | null;
}

/** `own`: skips the turn that makes this call. Throws NOT_FOUND, TURN_UNRECORDED, TURN_NOT_FAILED, LAST_CALL_UNCLEAR. */
async function failedNode(ports: Ports, thread: string, own = false): Promise<Failed> {
  await ports.graphNodes.thread(thread);
  const passes = await ports.graphNodes.passes(thread, PASSES_OF_TURN);
  const [last] = passes;
  if (!last) throw new AppError('TURN_UNRECORDED', { thread });
  const turnIds = [...new Set(passes.map(({ turnId }) => turnId))];
  const turns = turnIds.map((turnId) => passes.filter((pass) => pass.turnId === turnId));
  const turn = own ? turns.find((one) => findTurnFailure(one) !== null || hasChanged(one)) : turns[0];
  const failure = turn && findTurnFailure(turn);
  if (!turn || !failure) throw new AppError('TURN_NOT_FAILED', { thread, outcome: last.outcome });
  return { ...failure, about: turn.at(-1)?.record.began?.messages[0]?.id ?? null };
}

type Turn = Awaited<ReturnType<Ports['graphNodes']['passes']>>;

/** Finds a turn's failed call; null when nothing failed. The passes come newest first. Throws LAST_CALL_UNCLEAR. */
function findTurnFailure(turn: Turn): Omit<Failed, 'about'> | null {
  const [last] = turn;
  if (!last) return null;
  const { record, outcome, error } = last;
  // The pass after the newest pass with calls only reports their results.
  const used = turn.find((pass) => pass.record.calls.some(({ decided, result }) => decided !== null || !result.ok));
  const failed = used?.record.calls.filter(({ result }) => !result.ok && !REFUSAL_CODES.has(result.code ?? '')) ?? [];
  const unsure = failed.filter(
    ({ result }) => result.code === 'TOOL_TIMED_OUT' || result.code === 'TOOL_OUTCOME_UNKNOWN',
  );
  if (unsure.length > 0) throw new AppError('LAST_CALL_UNCLEAR', {});
  if (failed.length > 0) return { node: 'po_tools', why: say('diagnose.callsFailed', { count: failed.length }) };
  if (outcome !== 'failed' && outcome !== 'limit') return null;
  return { node: record.asks.at(-1)?.node ?? 'product_owner', why: error ?? say('diagnose.endedAs', { outcome }) };
}

function hasChanged(turn: Turn): boolean {
  return turn.some(({ record }) => record.calls.some(({ result }) => result.changed));
}

/** Lets a person access their own conversations, and an admin all conversations. */
function mustBeTheirs({ actor }: Pick<ToolContext, 'actor'>, userKey: string): void {
  if (userKey === actor.userKey || coversRole(actor.role, 'admin')) return;
  throw new AppError('NOT_PERMITTED', { role: actor.role, needed: 'admin' });
}
