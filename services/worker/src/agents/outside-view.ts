import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { RuntimeEvent } from '@signalbox/contracts/governance/runtime-event';
import type { TextInView } from '@signalbox/governance/calls/call';
import { OUTSIDE_KEY, type OutsideMark } from '@signalbox/models/runtime-events';
import type { AgentMessage } from './agent.ts';

/** Builds the extras of a message of others: a forward, the name of a file, news of a job, a decision. */
export function toOutsideExtras({ outside }: Pick<AgentMessage, 'outside'>): Readonly<Record<string, OutsideMark>> {
  return outside === undefined ? {} : { [OUTSIDE_KEY]: outside };
}

export function getOutsideMark({ additional_kwargs: extras }: BaseMessage): OutsideMark | undefined {
  return extras[OUTSIDE_KEY] as OutsideMark | undefined; // toOutsideExtras made it
}

/**
 * Collects the outside text among the messages that a model reads, and the values that need no words of the person. Null when no message
 * holds outside text. `known`: names that the runtime knows, and values that it looked up. Pure.
 */
export function readOutsideView(
  messages: readonly BaseMessage[],
  known: readonly string[],
): Omit<TextInView, 'ask'> | null {
  const results = messages.filter(ToolMessage.isInstance);
  const others = messages.filter(
    (message) => HumanMessage.isInstance(message) && getOutsideMark(message) !== undefined,
  );
  // po-tools marks each result that holds an envelope; an earlier release marked such results as a whole.
  if (others.length === 0 && !results.some(({ additional_kwargs: extras }) => extras['untrusted'] === true))
    return null;
  const made = messages.flatMap(({ additional_kwargs: extras }) => {
    const event = extras['event'] as RuntimeEvent | undefined; // the agent stored it
    const values: unknown = extras['made'] ?? event?.made;
    return Array.isArray(values) ? values.map(String) : [];
  });
  return { made: [...known, ...made] };
}
