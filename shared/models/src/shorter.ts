import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import { getMessageText } from './message-text.ts';

/** Results up to this length in characters stay: the line instead of them would be no shorter. */
const SHORT = 400;

/** The name under which a result can be read again. */
const Handle = z.object({ handle: z.string().regex(/^\w{1,40}$/) });

/**
 * Replaces the oldest tool results by one line each, until this share (0 to 1) of the characters of all long results is gone. The line
 * quotes nothing of the result, which may hold text of strangers. Null when no result is long. Pure.
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
    return shorten(message);
  });
}

function shorten(message: ToolMessage): ToolMessage {
  const { id, name, tool_call_id, status, additional_kwargs } = message;
  const text = getMessageText(message);
  const content = JSON.stringify({
    ok: status !== 'error',
    left_out: `${text.length} characters, because the conversation is longer than you can take. Look up again what still matters.`,
    ...Handle.safeParse(parseJson(text)).data,
  });
  return new ToolMessage({ id, name, tool_call_id, status, additional_kwargs, content } as never); // the fields come from a ToolMessage
}
