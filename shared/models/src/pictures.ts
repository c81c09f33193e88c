import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { Picture } from './port.ts';

/*
 * Which models can look at pictures, and how they get them. Pictures go along with one call; no conversation keeps their bytes.
 */

/** Models that can, by what their makers document. Others are named with MODEL_SEES. */
const KNOWN = [
  'openai:gpt-4o*,openai:gpt-4.1*,openai:gpt-4-turbo*,openai:gpt-5*,openai:o3*,openai:o4*', // platform.openai.com/docs/models
  'anthropic:claude-3*,anthropic:claude-opus*,anthropic:claude-sonnet*,anthropic:claude-haiku*', // docs.anthropic.com
  'google:gemini-*', // ai.google.dev/gemini-api/docs/models
  'ollama:llava*,ollama:gemma3*,ollama:qwen2.5vl*,ollama:qwen3-vl*,ollama:llama3.2-vision*,ollama:minicpm-v*', // ollama.com
].join(',');

/** Whether a model, as `provider:model`, is one of these names, separated by commas; `*` stands for any characters. */
export function canSee(model: string, names: string = KNOWN): boolean {
  return names.split(',').some((name) => isNamed(model.toLowerCase(), name.trim().toLowerCase().split('*')));
}

/**
 * The same conversation, each message with the pictures that came with it. A model that cannot see is told that there is something
 * that it cannot see, so that it does not guess.
 */
export function withPictures(
  messages: readonly BaseMessage[],
  pictures: readonly Picture[],
  sees: boolean,
): readonly BaseMessage[] {
  if (pictures.length === 0) return messages;
  return messages.map((message) => {
    const own = pictures.filter(({ messageId }) => messageId === message.id);
    if (own.length === 0 || !HumanMessage.isInstance(message)) return message;
    const text = { type: 'text' as const, text: sees ? message.text : `${message.text}\n${UNSEEN}` };
    const shown = own.map(({ mimeType, base64 }) => ({
      type: 'image_url' as const, // every client translates this form into that of its provider
      image_url: { url: `data:${mimeType};base64,${base64}` },
    }));
    return new HumanMessage({ id: message.id, content: sees ? [text, ...shown] : [text] } as never); // its id is set: it was compared
  });
}

/** For a model that stands in for one that sees. */
const UNSEEN = '[You cannot look at the picture that came with this. Say so, and ask for a description in words.]';

/** Whether a text consists of these pieces with anything between them. */
function isNamed(text: string, [first = '', ...pieces]: string[]): boolean {
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
