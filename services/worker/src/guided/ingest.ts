import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { END } from '@langchain/langgraph';
import type { z } from 'zod';
import type { OutsideMark } from '@signalbox/models/runtime-events';
import type { AgentMessage, AgentDeps } from '../agents/agent.ts';
import { getOutsideMark } from '../agents/outside-view.ts';
import { parseRequestedData } from './actions.ts';
import { joinOpenActs, noteBorrowed } from './acts.ts';
import { getRunContext, type RunContext } from './extras.ts';
import { addHandoffAction, offerAgent } from './handoff.ts';
import { HANDOFF } from '../agents/handoff.ts';
import { addModeAction, MODE_ACTION, applyPageMode, applyChosenMode } from './mode.ts';
import { createMessageReader } from './reading.ts';
import { sendReplies } from './replies.ts';
import type { ActionSpecs, GuidedSpec, TurnInput } from './spec.ts';
import type { Act, GuidedState, GuidedStateUpdate } from './state.ts';

export const INGEST_NODE = 'ingest_input';
export const CLEAR_NODE = 'clear_pending_action';

type Event = AgentMessage['event'];
/** What an agent's graph needs besides its description. */
export type GuidedDeps = Pick<AgentDeps, 'model' | 'maxPasses' | 'checkpoints' | 'others' | 'registry'>;

/** Creates the node that finds the meaning of one message (actions, free text or an event) and chooses the next node. */
export function createIngestNode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  parts: GuidedDeps,
) {
  const actions = addHandoffAction(addModeAction(spec.actions), parts.others);
  const take = createMessageReader(spec, { model: parts.model(INGEST_NODE), node: INGEST_NODE, parts }, actions);

  return async (state: GuidedState, config: LangGraphRunnableConfig): Promise<GuidedStateUpdate> => {
    const extras = getRunContext(config);
    const { message, text, event, mark } = newest(state.messages);
    const domain = state.domain[spec.id] as z.output<S>; // migrateState parsed it
    const outside = state.outside || mark !== undefined;
    const by = mark === undefined ? 'person' : 'outside';
    const goTo = (next: string, input: TurnInput): GuidedStateUpdate => ({
      transcript: text,
      outside,
      meta: { ...state.meta, heard: input, next, by },
    });
    if (event?.kind === 'mode')
      return { meta: { ...state.meta, next: END }, ...applyPageMode(spec, state, extras, event) };
    const again = nodeAgain(event, spec.nodes);
    if (event && event.kind !== 'node') {
      const heard = { kind: 'news' as const, say: event.say };
      return goTo(spec.route(heard, domain), heard);
    }
    const { taken, update } = await take({ ...state, outside }, extras, message, {
      domain,
      by,
      mayAsk: again === null,
    });
    const words = { kind: 'words' as const, text };
    if (taken.kind === 'refused')
      return { ...goTo(CLEAR_NODE, words), ...sendReplies(state, extras, [{ text: taken.say, buttons: [] }]) };
    const { acts, open } = joinOpenActs(taken.acts, state.open, actions);
    const [current, ...next] = acts;
    if (!current) return { ...update, ...goTo(again ?? spec.route(words, domain), words) };
    return {
      ...update,
      transcript: text,
      outside,
      open,
      borrowed: noteBorrowed(state.borrowed, acts, text),
      acts: { current, next },
      ...beginAct(spec, state, extras, current, { again, others: parts.others }),
    };
  };
}

/** Begins an action: the agent's route chooses its first node. `again`: the node to run instead. */
export function beginAct<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  state: GuidedState,
  extras: RunContext,
  { action: name, data, by }: Act,
  { again = null, others }: { readonly again?: string | null; readonly others: AgentDeps['others'] },
): GuidedStateUpdate {
  const heard = { kind: 'action' as const, name };
  const goTo = (next: string): GuidedStateUpdate => ({ meta: { ...state.meta, heard, next, by, open: undefined } });
  if (name === MODE_ACTION) return { ...goTo(CLEAR_NODE), ...applyChosenMode(spec, state, extras, data) };
  if (name === HANDOFF) return { ...goTo(CLEAR_NODE), ...offerAgent(state, extras, others, data) };
  const domain = state.domain[spec.id] as z.output<S>; // migrateState parsed it
  const parsed = parseRequestedData(spec.actions, { action: name, data });
  const pendingAction = { id: `${spec.id}.${name}`, data: parsed.ok ? parsed.data : data };
  return { pendingAction, ...goTo(again ?? spec.route(heard, domain)) };
}

function newest(messages: readonly BaseMessage[]): {
  readonly message: HumanMessage;
  readonly text: string;
  readonly event: Event;
  readonly mark: OutsideMark | undefined;
} {
  const message = messages.findLast(HumanMessage.isInstance) ?? new HumanMessage('');
  const { event = null, again = null } = message.additional_kwargs;
  // turn.ts sets both fields
  return { message, text: message.text, event: (event ?? again) as Event, mark: getOutsideMark(message) };
}

/** The node to run again; null for a message that requests none, or for the first node. */
function nodeAgain(event: Event, nodes: Readonly<Record<string, unknown>>): string | null {
  return event?.kind === 'node' && Object.hasOwn(nodes, event.node) ? event.node : null;
}
