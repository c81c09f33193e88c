import type { AIMessageChunk } from '@langchain/core/messages';
import { createJsonFieldReader, dropHalfCharacter, type JsonFieldReader } from './growing-field.ts';
import { extractVisibleText } from './said-text.ts';
import type { DraftReceiver } from './port.ts';

/** Matches the start of a tool call written as text, as small models write. Such a text is shown only when it turns out to be no call. */
const MAY_BE_CALL = /^\s*(?:```(?:json)?\s*)?(?:\[\s*)?\{\s*(?:"(?:name|tool|function|type)"|"?[a-z]{0,8}$)/;

/**
 * Creates a function that takes each streamed piece of an answer and calls `show` with the whole text so far when it has changed: the
 * text, then the message arguments of calls to the draft's tool, in order.
 */
export function createDraftUpdater({ tool, field, show }: DraftReceiver): (piece: AIMessageChunk) => void {
  let text = '';
  let shown = '';
  const messages: JsonFieldReader[] = [];
  /** The open call at each index; null for calls to other tools. */
  const current = new Map<number | undefined, JsonFieldReader | null>();

  const begin = (): JsonFieldReader => {
    const message = createJsonFieldReader(field);
    messages.push(message);
    return message;
  };

  return (piece) => {
    text += piece.text;
    const chunks = piece.tool_call_chunks ?? [];
    for (const { index, name, args } of chunks) {
      if (name) current.set(index, name === tool ? begin() : null); // only the first piece of a call has the tool's name
      current.get(index)?.feed(args ?? '');
    }
    // Some clients deliver calls in one piece.
    for (const call of chunks.length === 0 ? (piece.tool_calls ?? []) : []) {
      const whole: unknown = call.args[field];
      if (call.name === tool && typeof whole === 'string') begin().feed(JSON.stringify({ [field]: whole }));
    }
    // Thoughts and calls written as text are not shown, not even their first letters.
    const parts = [dropHalfCharacter(text), ...messages.map((message) => message.text())].map((part) =>
      MAY_BE_CALL.test(part) ? '' : extractVisibleText(part, true).text,
    );
    const all = parts.filter((part) => part.trim() !== '').join('\n\n');
    if (all === shown) return;
    shown = all;
    show(all);
  };
}
