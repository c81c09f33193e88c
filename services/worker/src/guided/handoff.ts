import { HumanMessage } from '@langchain/core/messages';
import { findOtherAgent } from '@signalbox/models/plain-orders';
import type { AgentDeps } from '../agents/agent.ts';
import {
  createHandoffInput,
  createHandoffOffer,
  createHandoffTools,
  describeOthers,
  findOffered,
  HANDOFF,
} from '../agents/handoff.ts';
import type { RunContext } from './extras.ts';
import { sendReplies } from './replies.ts';
import type { ActionSpecs, RequestedAction } from './spec.ts';
import type { GuidedState, GuidedStateUpdate } from './state.ts';

type Known = Pick<AgentDeps, 'others' | 'registry'>;

/** Adds the action with which a model says that another agent is asked for; the person may type it, too. */
export function addHandoffAction(actions: ActionSpecs, others: AgentDeps['others']): ActionSpecs {
  const data = createHandoffInput(others);
  if (!data) return actions;
  const describe = `Asks for what no act here does, but another agent. ${describeOthers(others)}`;
  return { ...actions, [HANDOFF]: { data, describe } };
}

/** Finds the other agent that a text asks for, without a model. Pure. */
export function readHandoff(text: string, { others, registry }: Known): RequestedAction | null {
  const [tool] = createHandoffTools(others);
  const agent = tool ? findOtherAgent(text, tool, registry.catalog) : null;
  return agent === null ? null : { action: HANDOFF, data: { agent } };
}

/** Offers the agent below a button that carries the message over. What this agent asked stays open. */
export function offerAgent(
  state: GuidedState,
  extras: RunContext,
  others: AgentDeps['others'],
  data: unknown,
): GuidedStateUpdate {
  const other = findOffered(others, data);
  const id = state.messages.findLast(HumanMessage.isInstance)?.id;
  return other && id !== undefined ? sendReplies(state, extras, [createHandoffOffer(other, [id])]) : {};
}
