import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { wrapOutside } from '@signalbox/contracts/governance/outside';
import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { getOutsideMark } from '../agents/outside-view.ts';
import type { GuidedState } from './state.ts';

/** How many messages before the newest a model is shown. */
const MAX_MESSAGES = 8;
/** A longer message is cut; a question stands at its end. */
const MAX_LENGTH = 600;

/**
 * Writes what a model has to know before it reads the newest message: what was said before, what the agent asked and offered, and which
 * actions are open. Once the conversation holds text from outside, what the agent said may quote it. Empty at the beginning. Pure.
 */
export function writeFacts({ messages, open, outside }: Pick<GuidedState, 'messages' | 'open' | 'outside'>): string {
  const newest = messages.findLastIndex(HumanMessage.isInstance);
  // The agent's own answer to an event says the same again.
  const before = messages
    .slice(0, newest)
    .filter((message) => message.text !== '' && message.additional_kwargs['event'] === undefined);
  const last = before.findLast(AIMessage.isInstance);
  const said = before.slice(-MAX_MESSAGES).map((message) => {
    const isAgent = AIMessage.isInstance(message);
    return `${isAgent ? 'agent' : 'person'}: ${quote(message, outside && isAgent)}`;
  });
  const offers = last ? listOffers(last).map(({ label, value }) => `${value} (${label})`) : [];
  return [
    ...(said.length > 0 ? [`Said before, oldest first:\n${said.join('\n')}`] : []),
    ...(offers.length > 0 ? [`The agent's last message offers:\n${offers.join('\n')}`] : []),
    ...(open.length > 0
      ? [
          `Open, to be begun by itself: ${open.map(({ action, data }) => `${action} ${JSON.stringify(data)}`).join(', ')}`,
        ]
      : []),
  ].join('\n\n');
}

/** Returns the buttons that a message of the agent offered. */
export function listOffers({ additional_kwargs: extras }: BaseMessage): readonly OfferedButton[] {
  return (extras['offers'] ?? []) as readonly OfferedButton[]; // replies.ts stored them
}

function quote(message: BaseMessage, isOutside: boolean): string {
  const { text } = message;
  const shown = text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH / 2)} … ${text.slice(-MAX_LENGTH / 2)}`;
  const mark = getOutsideMark(message);
  if (mark === undefined && !isOutside) return JSON.stringify(shown);
  return JSON.stringify(wrapOutside(mark ?? 'conversation', shown));
}
