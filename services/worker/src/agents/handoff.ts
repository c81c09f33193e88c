import { z } from 'zod';
import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { describeAgent, hasAgentPhrases } from '@signalbox/messages/agents';
import { DEFAULT_LANGUAGE, runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { ToolDefinition } from '../tools/registry.ts';
import { DEFAULT_AGENT } from './default-agent.ts';

/*
 * Agents know each other by their words in the catalog. An agent that is asked for what another one does offers that one below a button.
 * Only the person's press switches: it carries their own words over, and gives nobody a right that they did not have.
 */

/** The tool and the action with which an agent is offered. */
export const HANDOFF = 'handoff';

/** An agent as the others see it. */
export interface OtherAgent {
  readonly id: string;
  readonly summary: string;
}

/**
 * Lists the agents that agent `id` may offer: those with phrases of their own, and the one of operations. Any other agent does a part of
 * what that one does.
 */
export function listOthers(id: string, agents: readonly OtherAgent[]): readonly OtherAgent[] {
  return agents.filter((other) => other.id !== id && (other.id === DEFAULT_AGENT || hasAgentPhrases(other.id)));
}

/** Creates the input of a call that offers an agent; null without other agents. */
export function createHandoffInput(others: readonly OtherAgent[]) {
  const [first, ...more] = others.map(({ id }) => id);
  return first === undefined ? null : z.object({ agent: z.enum([first, ...more]) });
}

/** Finds the agent that a call or an action offers; undefined when it may not be offered. */
export function findOffered(others: readonly OtherAgent[], data: unknown): OtherAgent | undefined {
  const wanted = createHandoffInput(others)?.safeParse(data).data;
  return others.find(({ id }) => id === wanted?.agent);
}

/** Describes the other agents to a model. */
export function describeOthers(others: readonly OtherAgent[]): string {
  return runInLanguage(DEFAULT_LANGUAGE, () =>
    others.map((other) => `${other.id}: ${describeAgent(other).does}`).join(' '),
  );
}

/** Creates the tool with which a model offers another agent; none without other agents. */
export function createHandoffTools(others: readonly OtherAgent[]): readonly ToolDefinition[] {
  const input = createHandoffInput(others);
  if (!input) return [];
  const schema = { ...z.toJSONSchema(input, { io: 'input', target: 'draft-7' }) };
  const description = `Offer the agent that does what is asked and you cannot do. ${describeOthers(others)}`;
  return [{ name: HANDOFF, description, schema }];
}

const LABEL_LENGTH = 64;

/** Creates the offer of an agent, which gets the words of these messages when the person presses the button. */
export function createHandoffOffer(
  agent: OtherAgent,
  messages: readonly string[],
): { readonly text: string; readonly buttons: readonly OfferedButton[] } {
  const { name, does } = describeAgent(agent);
  const label = say('agents.ask', { name }).slice(0, LABEL_LENGTH);
  const handoff = { agent: agent.id, messages: messages.slice(-MAX_MESSAGES) };
  return { text: say('agents.offer', { name, does }), buttons: [{ label, value: label, handoff }] };
}

/** As many messages as the button may name. */
const MAX_MESSAGES = 20;
