import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { Picture } from './port.ts';

/* Knows which models accept pictures, and adds pictures to a call. Conversations do not store the bytes of pictures. */

/** Models that accept pictures by their makers' documentation. The variable MODEL_SEES replaces this list. */
const KNOWN = [
  'openai:gpt-4o*,openai:gpt-4.1*,openai:gpt-4-turbo*,openai:gpt-5*,openai:o3*,openai:o4*', // from platform.openai.com/docs/models
  'anthropic:claude-3*,anthropic:claude-opus*,anthropic:claude-sonnet*,anthropic:claude-haiku*', // from docs.anthropic.com
  'google:gemini-*', // from ai.google.dev/gemini-api/docs/models
  'ollama:llava*,ollama:gemma3*,ollama:qwen2.5vl*,ollama:qwen3-vl*,ollama:llama3.2-vision*,ollama:minicpm-v*', // from ollama.com
].join(',');

/** True when a model (`provider:model`) matches one of the comma-separated names; `*` matches any characters. */
export function acceptsPictures(model: string, names: string = KNOWN): boolean {
  return names.split(',').some((name) => matchesPieces(model.toLowerCase(), name.trim().toLowerCase().split('*')));
}

/**
 * Adds pictures to the messages that they belong to. A model without vision is told that there was a picture, so that it does not guess.
 */
export function addPictures(
  messages: readonly BaseMessage[],
  pictures: readonly Picture[],
  canSeePictures: boolean,
): readonly BaseMessage[] {
  if (pictures.length === 0) return messages;
  return messages.map((message) => {
    const own = pictures.filter(({ messageId }) => messageId === message.id);
    if (own.length === 0 || !HumanMessage.isInstance(message)) return message;
    const text = { type: 'text' as const, text: canSeePictures ? message.text : `${message.text}\n${UNSEEN}` };
    const shown = own.map(({ mimeType, base64 }) => ({
      type: 'image_url' as const, // every client library converts this form
      image_url: { url: `data:${mimeType};base64,${base64}` },
    }));
    return new HumanMessage({ id: message.id, content: canSeePictures ? [text, ...shown] : [text] } as never); // a picture belongs to a message by id, so this message has an id
  });
}

/** The text that a model without vision gets instead of a picture. */
const UNSEEN = '[You cannot look at the picture that came with this. Say so, and ask for a description in words.]';

/** True when a text consists of these pieces, in order, with anything between them. */
function matchesPieces(text: string, [first = '', ...pieces]: string[]): boolean {
  if (!text.startsWith(first)) return false;
  const last = pieces.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length >= at + last.length && text.endsWith(last);
}
