import type { AIMessageChunk } from '@langchain/core/messages';
import { createGrowingField, wholeCharacters, type GrowingField } from './growing-field.ts';
import { readSaid } from './said-text.ts';
import type { DraftRequest } from './port.ts';

/** The beginning of a call as small models write it into their text; the message shows it if it was none. */
const MAY_BE_CALL = /^\s*(?:```(?:json)?\s*)?(?:\[\s*)?\{\s*(?:"(?:name|tool|function|type)"|"?[a-z]{0,8}$)/;

/**
 * Shows an answer while it grows: its text, then the messages in its calls of the draft's tool, in order. Feed it every piece;
 * the whole text so far is shown whenever it has changed.
 */
export function createGrowingAnswer({ tool, field, show }: DraftRequest): (piece: AIMessageChunk) => void {
  let text = '';
  let shown = '';
  const messages: GrowingField[] = [];
  /** The call that goes on at an index; null while that is one of another tool. */
  const current = new Map<number | undefined, GrowingField | null>();

  const begin = (): GrowingField => {
    const message = createGrowingField(field);
    messages.push(message);
    return message;
  };

  return (piece) => {
    text += piece.text;
    const chunks = piece.tool_call_chunks ?? [];
    for (const { index, name, args } of chunks) {
      if (name) current.set(index, name === tool ? begin() : null); // the name comes with the first piece of a call
      current.get(index)?.feed(args ?? '');
    }
    // Some clients give calls in one piece only.
    for (const call of chunks.length === 0 ? (piece.tool_calls ?? []) : []) {
      const whole: unknown = call.args[field];
      if (call.name === tool && typeof whole === 'string') begin().feed(JSON.stringify({ [field]: whole }));
    }
    // What a model does not say to anybody is not shown either, not even its first letters.
    const parts = [wholeCharacters(text), ...messages.map((message) => message.text())].map((part) =>
      MAY_BE_CALL.test(part) ? '' : readSaid(part, true).text,
    );
    const all = parts.filter((part) => part.trim() !== '').join('\n\n');
    if (all === shown) return;
    shown = all;
    show(all);
  };
}
