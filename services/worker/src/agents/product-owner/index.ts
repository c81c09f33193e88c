import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { StateSnapshot } from '@langchain/langgraph';
import type { Agent, AgentMessage, AgentDeps, AgentPlugin, AgentResult, AgentRun } from '../agent.ts';
import { toOutsideExtras } from '../outside-view.ts';
import { findTurnStart, listRecordedMessages, splitTaken, toRecordedRun } from '../recorded-messages.ts';
import type { RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import { getMessageText } from '@signalbox/models/message-text';
import { isTalk } from './base-tools.ts';
import { buildGraph, GRAPH_NODES } from './graph.ts';
import { listInstalled } from './groups.ts';
import type { RunExtras } from './parts.ts';
import { addNextButtons, listRepliesSince } from './replies.ts';
import { createRerunUpdate } from './run-again.ts';
import { STATE_VERSION, type SessionState, type SessionUpdate } from './state.ts';
import { listPasses } from './turn-record.ts';
import { takeFirstLine } from './sentences.ts';
import { areEventsTold } from './silence.ts';

/** The default agent: understands a request, loads tools, asks for missing values, calls tools and reports. */
const plugin: AgentPlugin = {
  id: 'product_owner',
  class: 'CONTROL_PLANE',
  summary: 'Finds out what you want, asks back when it must, and gets it done with tools.',
  stateVersion: STATE_VERSION,
  turnLists: ['spent', 'record'] satisfies (keyof SessionState)[],
  nodes: ['intent_parser', 'product_owner'],
  graph: GRAPH_NODES,
  create: createProductOwner,
};

export default plugin;

function createProductOwner(parts: AgentDeps): Agent {
  const graph = buildGraph(parts, parts.checkpoints);
  const recordOf = (
    state: Pick<SessionState, 'messages' | 'record'>,
    batch: readonly AgentMessage[],
    run: RecordedTurnRun,
    isNew: boolean,
  ) => {
    const start = findTurnStart(state.messages, new Set(batch.map((message) => message.id)));
    return {
      passes: listPasses(state, batch[0]?.id ?? run.turnId, parts),
      messages: listRecordedMessages(state.messages, start),
      isNew: isNew && start === 0,
      run,
    };
  };
  return {
    ...(parts.model('product_owner').sees ? { sees: true as const } : {}),
    run: async ({ messages: batch, run, resume, threadNew }) => {
      const begun = resume ? await graph.getState({ configurable: { thread_id: run.threadId } }) : null;
      const { taken: messages, later } = begun ? splitTaken(idsIn(begun), batch) : { taken: batch, later: [] };
      const extras = extrasOf(parts, run, messages, threadNew);
      const config = {
        configurable: { thread_id: run.threadId, turn_id: run.turnId, extras },
        signal: run.signal,
        durability: 'sync' as const, // checkpoints.ts decides when a checkpoint is written to Postgres
        recursionLimit: parts.maxPasses * 2 + 5,
      };
      const state = begun ? await resumeTurn(begun) : await begin(messages, threadNew);
      const result = toResult(state, messages);
      return {
        ...result,
        unhandled: [...result.unhandled, ...later.map(({ id }) => id)],
        record: recordOf(state, messages, extras.recorded, threadNew || resume),
      };

      // An earlier run may have died anywhere. New input waits while a step is pending; otherwise that step's calls would stay unanswered.
      async function resumeTurn(before: StateSnapshot): Promise<SessionState> {
        const values = before.values as Partial<SessionState>; // Values are empty before the first checkpoint
        const known = idsIn(before);
        const rest = messages.filter((message) => !known.has(message.id));
        for (const spend of values.spent ?? []) if (spend.turnKey === extras.turnKey) run.spent(spend);
        // `tasks` instead of `next`: a task that finished just before a crash appears only in `tasks` and still has to be applied. A step of
        // other messages, which were given up, is not continued.
        const isPending = before.tasks.length > 0 && rest.length < messages.length;
        let state = isPending ? await graph.invoke(null, config) : (values as SessionState); // Empty only before the first checkpoint
        // Messages after the end of the task start the next task.
        if (rest.length > 0 && !state.userConfirmedComplete) state = await begin(rest, known.size === 0);
        return state;
      }

      async function begin(batch: readonly AgentMessage[], isNew: boolean): Promise<SessionState> {
        const [first] = batch;
        if (first?.event?.kind !== 'node') return graph.invoke(input(batch, run, isNew), config);
        const before = (await graph.getState(config)).values as Partial<SessionState>; // Values are empty before the first checkpoint
        const again = createRerunUpdate(first.id, first.event, before, extras);
        const fresh = { ...input([], run, first.event.node === 'intent_parser'), ...again.update };
        if (!again.isUpdate) return graph.invoke(fresh, config);
        // The graph continues with the calls in the stored answer.
        await graph.updateState(config, fresh, 'product_owner');
        return graph.invoke(null, config);
      }
    },
    note: async ({ run, messages, isNew, text, about = null, event }) => {
      const config = { configurable: { thread_id: run.threadId } };
      // This answer of product_owner ends the pending step and closes earlier requests.
      await graph.updateState(
        config,
        {
          messages: [toNote(`note_${run.turnId}`, text, event)],
          ...(about === null ? {} : { currentProject: about }),
        },
        'product_owner',
      );
      // Reading the state from the graph would store the state before the turn has ended.
      const state = parts.checkpoints.newest(run.threadId) as Partial<SessionState>;
      const known = { messages: state.messages ?? [], record: state.record ?? [] };
      return recordOf(known, messages, toRecordedRun(run, messages.length), isNew);
    },
  };
}

function toNote(id: string, text: string, kind: 'incident' | undefined): BaseMessage {
  if (kind === undefined) return new AIMessage({ id, content: text });
  return new HumanMessage({ id, content: text, additional_kwargs: { event: { kind, say: text, told: true } } });
}

function idsIn({ values }: StateSnapshot): ReadonlySet<string | undefined> {
  return new Set(((values as Partial<SessionState>).messages ?? []).map((message) => message.id)); // Values are empty before the first checkpoint
}

function extrasOf(parts: AgentDeps, run: AgentRun, messages: readonly AgentMessage[], isNew: boolean): RunExtras {
  const batch = new Set(messages.map((message) => message.id));
  // The look-up of names starts here; the node that needs the names awaits it.
  if (isNew) parts.knownNames(() => messages.map(({ text }) => text).toReversed()).catch(() => undefined);
  const { threadId, chatKey, actor } = run;
  const context = parts.context?.({ userKey: actor.userKey, threadId, chatKey }) ?? Promise.resolve(null);
  context.catch(() => undefined);
  const offered = run.offer(listInstalled(parts.registry.catalog));
  offered.catch(() => undefined);
  return {
    names: ({ messages: all, currentProject }) =>
      parts.knownNames(() =>
        [...all.filter(HumanMessage.isInstance).map(getMessageText), currentProject ?? ''].toReversed(),
      ),
    offered: () => offered,
    context: () => context,
    cameOf: parts.cameOf,
    turnStart: (all) => findTurnStart(all, batch),
    turnKey: messages[0]?.id ?? run.turnId,
    recorded: toRecordedRun(run, messages.length),
    run,
  };
}

/** Resets the turn's values for new messages, and keeps the conversation's values. */
function input(messages: readonly AgentMessage[], run: AgentRun, isNew: boolean): SessionUpdate {
  return {
    stateVersion: STATE_VERSION,
    threadId: run.threadId,
    userKey: run.actor.userKey,
    telegramUserId: /^\d+$/.test(run.actor.userKey) ? Number(run.actor.userKey) : null,
    chatKey: run.chatKey,
    correlationId: run.traceId,
    messages: messages.map(
      (message) =>
        new HumanMessage({
          id: message.id,
          content: message.text,
          additional_kwargs: { ...(message.event && { event: message.event }), ...toOutsideExtras(message) },
        }),
    ),
    awaitingUserResponse: false,
    taskGoesOn: false,
    userConfirmedComplete: false,
    finishedAfter: null,
    poIterations: 0,
    limitReached: false,
    verdict: 'continue',
    isContinuation: !isNew,
    skipIntentParser: !isNew,
  };
}

function toResult(state: SessionState, batch: readonly AgentMessage[]): Omit<AgentResult, 'record'> {
  const start = findTurnStart(state.messages, new Set(batch.map((message) => message.id)));
  const answers = state.messages.slice(start).filter(AIMessage.isInstance);
  const finishedAt = state.userConfirmedComplete
    ? batch.findIndex((message) => message.id === state.finishedAfter)
    : -1;
  return {
    outcome: outcomeOf(state),
    replies: addNextButtons(listRepliesSince(state.messages, start), state.messages.slice(start)),
    ...(areEventsTold(state.messages, start) ? { tellsEvents: true } : {}),
    personal: wasRefused(state.messages.slice(start)),
    unhandled: finishedAt === -1 ? [] : batch.slice(finishedAt + 1).map((message) => message.id),
    passes: state.poIterations,
    toolCalls: answers.reduce((sum, answer) => sum + (answer.tool_calls?.length ?? 0), 0),
    task: taskOf(state),
  };
}

/** The model's summary of the task; null when it only repeats the person's words. */
function taskOf({ taskSummary, messages, userConfirmedComplete }: SessionState): string | null {
  const task = takeFirstLine(taskSummary ?? '');
  const said = messages.filter(HumanMessage.isInstance).map((message) => asLine(getMessageText(message)));
  const isRepeated = said.some((text) => text.startsWith(asLine(task.replace(/…$/, ''))));
  // After finish_task, the summary is only what the model says it did, so it is not used as the task.
  return userConfirmedComplete || isRepeated ? null : task;
}

const asLine = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** True when the person's role allows none of the requested tools. */
function wasRefused(messages: readonly BaseMessage[]): boolean {
  const results = messages.filter(ToolMessage.isInstance).filter(({ name }) => !isTalk(name ?? ''));
  return results.length > 0 && results.every((result) => result.additional_kwargs['code'] === 'NOT_PERMITTED');
}

function outcomeOf(state: SessionState): AgentResult['outcome'] {
  if (state.userConfirmedComplete) return 'finished';
  if (state.limitReached) return 'limit';
  return state.awaitingUserResponse ? 'waiting' : 'answered';
}
