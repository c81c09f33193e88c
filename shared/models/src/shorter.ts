import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { getMessageText } from './message-text.ts';

/*
 * Old results shrink to one line each, which quotes nothing of them and names their handle: the base tool read_result shows them again.
 * Results of earlier turns shrink in steps, when they exceed a budget: between two steps a conversation only grows, so providers find
 * its beginning in their cache. When a provider still says that a request is too long, more of them shrink.
 */

/** Results up to this length in characters stay: the line instead of them would be no shorter. */
const SHORT = 400;

/** The most characters of results before a new message of a person, and how many are left after a step. */
const TURN_BUDGET = { most: 8_000, left: 3_000 } as const;
/** The same within one turn, whose results are still needed. */
const PASS_BUDGET = { most: 48_000, left: 24_000 } as const;

const HANDLE = /^res_\d{1,9}$/;

/** Shrinks results that exceed the budget, oldest first; the newest stays. Depends only on the messages so far. Pure. */
export function pruneOldResults(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const long: { readonly place: number; readonly length: number }[] = [];
  const shrunk = new Set<number>();
  let total = 0;
  let oldest = 0;
  const step = ({ most, left }: typeof TURN_BUDGET | typeof PASS_BUDGET): void => {
    if (total <= most) return;
    for (; total > left && oldest < long.length - 1; oldest += 1) {
      const { place, length } = long[oldest] as (typeof long)[number]; // the loop's condition checks the index
      shrunk.add(place);
      total -= length;
    }
  };
  messages.forEach((message, place) => {
    if (ToolMessage.isInstance(message)) {
      const { length } = getMessageText(message);
      if (length <= SHORT) return;
      long.push({ place, length });
      total += length;
    } else if (HumanMessage.isInstance(message) && message.additional_kwargs['event'] === undefined) step(TURN_BUDGET);
    else if (AIMessage.isInstance(message)) step(PASS_BUDGET);
  });
  return shrunk.size === 0
    ? messages
    : messages.map((message, place) => (shrunk.has(place) ? shrink(message as ToolMessage) : message)); // only results are listed
}

/**
 * Shrinks the oldest results, until this share (0 to 1) of the characters of all long results is gone. Null when no result is long. Pure.
 */
export function shortenOldResults(messages: readonly BaseMessage[], share: number): readonly BaseMessage[] | null {
  const lengths = messages.map((message) => (ToolMessage.isInstance(message) ? getMessageText(message).length : 0));
  const total = lengths.reduce((sum, length) => sum + (length > SHORT ? length : 0), 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  return messages.map((message, place) => {
    const length = lengths[place] ?? 0;
    if (!ToolMessage.isInstance(message) || length <= SHORT || left <= 0) return message;
    left -= length;
    return shrink(message);
  });
}

function shrink(message: ToolMessage): ToolMessage {
  const { id, name, tool_call_id, status, additional_kwargs } = message;
  const handle = String(additional_kwargs['handle'] ?? '');
  const isReadable = HANDLE.test(handle);
  const content = JSON.stringify({
    ok: status !== 'error',
    left_out: `${getMessageText(message).length} characters. ${isReadable ? 'read_result shows them.' : 'Look up again what still matters.'}`,
    ...(isReadable ? { handle } : {}),
  });
  return new ToolMessage({ id, name, tool_call_id, status, additional_kwargs, content } as never); // the fields come from a ToolMessage
}
