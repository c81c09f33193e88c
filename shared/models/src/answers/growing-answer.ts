import type { AIMessageChunk } from '@langchain/core/messages';
import { createJsonFieldReader, dropHalfCharacter, type JsonFieldReader } from './growing-field.ts';
import { extractVisibleText } from './said-text.ts';
import { createCallReader, type RawToolCall } from './sent-calls.ts';
import type { DraftReceiver } from '../port.ts';

/** Matches the start of a tool call written as text, as small models write. Such a text is shown only when it turns out to be no call. */
const MAY_BE_CALL = /^\s*(?:```(?:json)?\s*)?(?:\[\s*)?\{\s*(?:"(?:name|tool|function|type)"|"?[a-z]{0,8}$)/;

/**
 * Creates a function that takes each streamed piece of an answer and calls `show` with the whole text so far when it has changed: the
 * text, then the message arguments of calls to the draft's tool, in order.
 */
export function createDraftUpdater({ tool, field, show }: DraftReceiver): (piece: AIMessageChunk) => void {
  let text = '';
  let shown = '';
  const calls = createCallReader();
  const messages = new Map<RawToolCall, JsonFieldReader>();

  return (piece) => {
    text += piece.text;
    for (const { call, args } of calls.take(piece)) {
      if (call.name !== tool) continue;
      const message = messages.get(call) ?? createJsonFieldReader(field);
      messages.set(call, message);
      message.feed(args);
    }
    // Thoughts and calls written as text are not shown, not even their first letters.
    const parts = [dropHalfCharacter(text), ...[...messages.values()].map((message) => message.text())].map((part) =>
      MAY_BE_CALL.test(part) ? '' : extractVisibleText(part, true).text,
    );
    const all = parts.filter((part) => part.trim() !== '').join('\n\n');
    if (all === shown) return;
    shown = all;
    show(all);
  };
}
