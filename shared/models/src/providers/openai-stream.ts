import type { ChatOpenAICompletions } from '@langchain/openai';
import { z } from 'zod';

/*
 * Servers beside OpenAI's own differ in what a piece of a stream contains, and the client library silently drops what it does not know:
 * calls of a piece without a role, the reason of an end without a delta, contents in parts, and thoughts under another name.
 */

const Thinking = z.object({ thinking: z.array(z.object({ text: z.string() })) });
const Text = z.object({ text: z.string() });
const Delta = z
  .looseObject({
    role: z.string().min(1).catch('assistant'),
    content: z.unknown().optional(),
    reasoning: z.string().nullish().catch(null),
    reasoning_content: z.string().nullish().catch(null),
  })
  .transform(({ content, reasoning, reasoning_content: thoughts, ...delta }) => {
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    const thought = parts.flatMap((part) => Thinking.safeParse(part).data?.thinking ?? []);
    const given = thoughts ?? reasoning ?? (thought.length > 0 ? joinTexts(thought) : undefined);
    return {
      ...delta,
      content: Array.isArray(content) ? joinTexts(parts.flatMap((part) => Text.safeParse(part).data ?? [])) : content,
      ...(given === undefined ? {} : { reasoning_content: given }),
    };
  });
const Piece = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.preprocess((delta) => delta ?? {}, Delta) })).nullish(),
});

function joinTexts(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join('');
}

/** Makes an OpenAI client understand the streams of servers beside OpenAI's own. Changes and returns the given client. */
export function acceptForeignStreams<C extends ChatOpenAICompletions>(client: C): C {
  const send = client.completionWithRetry.bind(client) as (...args: unknown[]) => Promise<unknown>; // it has one overload per kind of answer
  const sendNormalized = async (...args: unknown[]): Promise<unknown> => {
    const answer = await send(...args);
    return isStream(answer) ? normalizePieces(answer) : answer;
  };
  client.completionWithRetry = sendNormalized as C['completionWithRetry']; // pieces keep the shape that the library expects
  return client;
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

async function* normalizePieces(pieces: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const piece of pieces) yield Piece.safeParse(piece).data ?? piece;
}
