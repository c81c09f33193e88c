import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { END } from '@langchain/langgraph';
import type { z } from 'zod';
import type { RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import { say } from '@signalbox/messages/say';
import type { Agent, AgentMessage, AgentDeps, AgentRecord, AgentResult, AgentRun } from '../agents/agent.ts';
import { hashValue } from '../agents/model-context.ts';
import { getOutsideMark, toOutsideExtras } from '../agents/outside-view.ts';
import { findTurnStart, listRecordedMessages, splitTaken, toRecordedRun } from '../agents/recorded-messages.ts';
import type { RunContext } from './extras.ts';
import { listNodeRecords } from './extras.ts';
import { buildGraph } from './graph.ts';
import { CLEAR_NODE } from './ingest.ts';
import { migrateState, readStoredValues } from './load.ts';
import { addHandoffAction } from './handoff.ts';
import { addModeAction } from './mode.ts';
import { listPasses, type RecordedVersions } from './passes.ts';
import { describeActions } from './reading.ts';
import { listReplies } from './replies.ts';
import type { ActionSpecs, GuidedSpec } from './spec.ts';
import type { GuidedState, GuidedStateUpdate, TurnRouting } from './state.ts';

/** The maximum number of nodes that one message may run; more is a loop. */
const MAX_STEPS = 100;

/** Creates a guided agent, whose graph processes a turn's messages one after another. */
export function createGuidedAgent<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  parts: AgentDeps,
): Agent {
  const graph = buildGraph(spec, parts);
  const versions = versionsOf(spec, parts);
  const recordOf = (
    { messages, record }: Pick<GuidedState, 'messages' | 'record'>,
    batch: readonly AgentMessage[],
    run: RecordedTurnRun,
    isNew: boolean,
  ): AgentRecord => {
    const start = findTurnStart(messages, new Set(batch.map(({ id }) => id)));
    return {
      passes: listPasses(listNodeRecords({ record }, turnKeyOf(batch, run)), versions),
      messages: listRecordedMessages(messages, start),
      isNew: isNew && start === 0,
      run,
    };
  };

  return {
    draws: true,
    run: async ({ messages: batch, run, resume, threadNew }) => {
      const thread = { configurable: { thread_id: run.threadId } };
      const values = threadNew && !resume ? {} : await readStoredValues(parts.checkpoints, run.threadId);
      const loaded = migrateState(spec, values);
      if (loaded.kind === 'unreadable') {
        run.warn?.('state not readable', { agent: spec.id, threadId: run.threadId, error: loaded.why });
        return cannotRead(run, batch);
      }
      if (loaded.kind === 'migrated')
        await graph.updateState(thread, { ...loaded.update, meta: routingOf(spec, run, END) }, CLEAR_NODE);
      const begun = resume && loaded.kind === 'current' ? await graph.getState(thread) : null;
      let state = (begun?.values ?? values) as GuidedState; // this graph stored the values; empty when nothing is stored
      const known = new Set((begun ? (state.messages ?? []) : []).map(({ id }) => id));
      const { taken, later } = splitTaken(known, batch);
      const recorded = toRecordedRun(run, taken.length);
      const extras: RunContext = { run, turnKey: turnKeyOf(taken, run), recorded };
      const config = {
        configurable: { ...thread.configurable, turn_id: run.turnId, extras },
        signal: run.signal,
        durability: 'sync' as const, // checkpoints.ts decides when a checkpoint reaches Postgres
        recursionLimit: MAX_STEPS,
      };
      for (const spend of begun ? (state.spent ?? []) : []) if (spend.turnKey === extras.turnKey) run.spent(spend);
      // `tasks` instead of `next`: a task that finished just before a crash appears only in `tasks` and still has to be applied.
      if (begun && begun.tasks.length > 0) state = await graph.invoke(null, config);
      for (const message of taken.filter(({ id }) => !known.has(id))) {
        run.signal.throwIfAborted();
        const isFirst = Object.keys(values).length === 0 && (state.messages ?? []).length === 0;
        state = await graph.invoke(inputOf(spec, run, message, { state, isFirst }), config);
      }
      return {
        ...resultOf(state, extras.turnKey),
        unhandled: later.map(({ id }) => id),
        record: recordOf(state, taken, recorded, threadNew || resume),
      };
    },
    note: async ({ run, messages, isNew, text }) => {
      const recorded = toRecordedRun(run, messages.length);
      const loaded = migrateState(spec, await readStoredValues(parts.checkpoints, run.threadId));
      if (loaded.kind === 'unreadable') return recordOf({ messages: [], record: [] }, messages, recorded, isNew);
      const before = loaded.kind === 'migrated' ? loaded.update : {};
      const told = new AIMessage({ id: `note_${run.turnId}`, content: text });
      // The graph takes this update for the last node's, which ends the pending step.
      await graph.updateState(
        { configurable: { thread_id: run.threadId } },
        {
          ...before,
          messages: [told],
          pendingAction: null,
          acts: { current: null, next: [] },
          meta: routingOf(spec, run, END),
        },
        CLEAR_NODE,
      );
      // Reading the state from the graph would store it before the turn has ended.
      const state = parts.checkpoints.newest(run.threadId) as Partial<GuidedState>;
      return recordOf({ messages: state.messages ?? [], record: state.record ?? [] }, messages, recorded, isNew);
    },
  };
}

function versionsOf<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  { registry, others }: Pick<AgentDeps, 'registry' | 'others'>,
): RecordedVersions {
  const { system, kind } = describeActions({
    summary: spec.summary,
    actions: addHandoffAction(addModeAction(spec.actions), others),
  });
  const tools = hashValue(registry.definitions(spec.groups));
  return { prompt: hashValue([system, kind.request]), tools, state: spec.stateVersion };
}

function turnKeyOf(batch: readonly AgentMessage[], run: Pick<AgentRun, 'turnId'>): string {
  return batch[0]?.id ?? run.turnId;
}

/** Creates the graph's input for one message: keeps the conversation's values and resets the message's values. */
function inputOf<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  run: AgentRun,
  message: AgentMessage,
  { state, isFirst }: { readonly state: Partial<GuidedState>; readonly isFirst: boolean },
): GuidedStateUpdate {
  const { id, event, reads } = message;
  const words = state.messages?.findLast((one) => HumanMessage.isInstance(one) && !one.additional_kwargs['event']);
  const heard =
    event?.kind === 'node'
      ? new HumanMessage({
          id,
          content: words?.text ?? event.say,
          additional_kwargs: { again: event, ...toOutsideExtras({ outside: words && getOutsideMark(words) }) },
        })
      : new HumanMessage({
          id,
          content: message.text,
          additional_kwargs: { ...(event && { event }), ...(reads && { reads }), ...toOutsideExtras(message) },
        });
  const isAnother = reads && (reads.mode !== state.reads?.mode || reads.device !== state.reads.device);
  return {
    stateVersion: spec.stateVersion,
    messages: [heard],
    pendingAction: null,
    acts: { current: null, next: [] },
    errors: null,
    meta: routingOf(spec, run, ''),
    ...(isAnother ? { reads, ...reads } : {}),
    ...(isFirst ? { domain: { [spec.id]: spec.initial() } } : {}),
  };
}

function routingOf(
  { id }: { readonly id: string },
  { threadId }: Pick<AgentRun, 'threadId'>,
  next: string,
): TurnRouting {
  return { sessionId: threadId, agentId: id, heard: { kind: 'words', text: '' }, next, by: 'person' };
}

function resultOf(state: GuidedState, turnKey: string): Omit<AgentResult, 'record' | 'unhandled'> {
  const acted = listNodeRecords(state, turnKey).flatMap((part) => (part.kind === 'acted' ? [part] : []));
  const calls = acted.flatMap((part) => part.calls);
  return {
    outcome: state.ui.awaits ? 'waiting' : 'answered',
    replies: listReplies(state, turnKey),
    personal: calls.length > 0 && calls.every(({ result }) => result.code === 'NOT_PERMITTED'),
    passes: acted.length,
    toolCalls: calls.length,
    task: null,
  };
}

/** Closes a conversation whose state is unreadable; its messages start the next conversation. */
function cannotRead(run: AgentRun, batch: readonly AgentMessage[]): AgentResult {
  const reply = { key: `unreadable_${run.threadId}`, text: say('guided.unreadable'), buttons: [] };
  return {
    outcome: 'finished',
    replies: [reply],
    personal: false,
    unhandled: batch.map(({ id }) => id),
    passes: 0,
    toolCalls: 0,
    task: null,
    record: { passes: [], messages: [], isNew: false, run: toRecordedRun(run, 0) },
  };
}
