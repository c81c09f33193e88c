import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { z } from 'zod';
import type { AgentMessage, AgentDeps } from '../agents/agent.ts';
import { parseRequestedData, parseAction } from './actions.ts';
import { getRunContext, type RunContext } from './extras.ts';
import { addModeAction, MODE_ACTION, applyPageMode, applyChosenMode } from './mode.ts';
import { canAskModel, describeActions, readActionWithModel } from './reading.ts';
import { sendReplies } from './replies.ts';
import type { ActionSpecs, GuidedSpec, TurnInput, RequestedAction } from './spec.ts';
import type { GuidedState, GuidedStateUpdate } from './state.ts';

export const INGEST_NODE = 'ingest_input';
export const CLEAR_NODE = 'clear_pending_action';

type Event = AgentMessage['event'];

/** The meaning of a message, before the agent's own route. */
type Taken =
  | { readonly kind: 'action'; readonly requested: RequestedAction }
  | { readonly kind: 'words' }
  | { readonly kind: 'refused'; readonly say: string };

/** Creates the node that finds the meaning of one message (an action, free text or an event) and chooses the next node. */
export function createIngestNode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  parts: Pick<AgentDeps, 'model'>,
) {
  const model = parts.model(INGEST_NODE);
  const actions = addModeAction(spec.actions);
  const reading = describeActions({ summary: spec.summary, actions });

  return async (state: GuidedState, config: LangGraphRunnableConfig): Promise<GuidedStateUpdate> => {
    const extras = getRunContext(config);
    const { text, event } = newest(state.messages);
    const domain = state.domain[spec.id] as z.output<S>; // migrateState parsed it
    const goTo = (next: string, input: TurnInput): GuidedStateUpdate => ({
      transcript: text,
      meta: { ...state.meta, heard: input, next },
    });
    const start = (input: TurnInput): GuidedStateUpdate =>
      goTo(nodeAgain(event, spec.nodes) ?? spec.route(input, domain), input);

    if (event?.kind === 'mode')
      return { meta: { ...state.meta, next: CLEAR_NODE }, ...applyPageMode(spec, state, extras, event) };
    if (event && event.kind !== 'node') return start({ kind: 'news', say: event.say });
    const isAgain = nodeAgain(event, spec.nodes) !== null;
    const { taken, update } = await take(extras, text, domain, !isAgain);
    if (taken.kind === 'words') return { ...update, ...start({ kind: 'words', text }) };
    if (taken.kind === 'refused')
      return {
        ...goTo(CLEAR_NODE, { kind: 'words', text }),
        ...sendReplies(state, extras, [{ text: taken.say, buttons: [] }]),
      };
    const { action: name, data } = taken.requested;
    const pending = { pendingAction: { id: `${spec.id}.${name}`, data } };
    if (name !== MODE_ACTION) return { ...update, ...pending, ...start({ kind: 'action', name }) };
    return { ...update, ...goTo(CLEAR_NODE, { kind: 'action', name }), ...applyChosenMode(spec, state, extras, data) };
  };

  /** Interprets a text: as an action, else by the agent's rules, else by a model. */
  async function take(
    extras: RunContext,
    text: string,
    domain: z.output<S>,
    mayAsk: boolean,
  ): Promise<{ readonly taken: Taken; readonly update: GuidedStateUpdate }> {
    const read = parseAction(spec.id, actions, text);
    if (read.kind === 'refused') return { taken: read, update: {} };
    if (read.kind === 'action') {
      const { name, data, isLegacy } = read;
      if (isLegacy) extras.run.warn?.('bare action name', { agent: spec.id, action: name });
      return { taken: { kind: 'action', requested: { action: name, data } }, update: {} };
    }
    const known = parsed(spec.reads(text, domain));
    if (known) return { taken: { kind: 'action', requested: known }, update: {} };
    if (!mayAsk || !canAskModel(model)) return { taken: { kind: 'words' }, update: {} };
    const { requested, update } = await ask(extras, text);
    const meant = parsed(requested);
    return { taken: meant ? { kind: 'action', requested: meant } : { kind: 'words' }, update };
  }

  /** The requested action with parsed data; null when its data is invalid. */
  function parsed(requested: RequestedAction | null): RequestedAction | null {
    const checked = requested && parseRequestedData(actions, requested);
    return requested && checked?.ok ? { action: requested.action, data: checked.data } : null;
  }

  async function ask({ run, turnKey, recorded }: RunContext, text: string) {
    const spent: GuidedState['spent'][number][] = [];
    if (run.path().at(-1) !== 'THINKING') run.enter('THINKING');
    const { requested, asks } = await readActionWithModel(reading, { model, node: INGEST_NODE }, text, {
      signal: run.signal,
      onSpend: (spend) => {
        run.spent(spend);
        if (spend.costUsd !== 0) spent.push({ ...spend, turnKey });
      },
    });
    const update: GuidedStateUpdate = {
      ...(asks.length > 0 ? { record: [{ kind: 'read', turnKey, run: recorded, asks }] } : {}),
      ...(spent.length > 0 ? { spent } : {}),
    };
    return { requested, update };
  }
}

function newest(messages: readonly BaseMessage[]): { readonly text: string; readonly event: Event } {
  const message = messages.findLast(HumanMessage.isInstance);
  const { event = null, again = null } = message?.additional_kwargs ?? {};
  return { text: message?.text ?? '', event: (event ?? again) as Event }; // turn.ts sets both fields
}

/** The node to run again; null for a message that requests none, or for the first node. */
function nodeAgain(event: Event, nodes: Readonly<Record<string, unknown>>): string | null {
  return event?.kind === 'node' && Object.hasOwn(nodes, event.node) ? event.node : null;
}
