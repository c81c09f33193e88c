import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/* Handles a model's reasoning, if its provider returns it. Stored for the record only: never shown to people or sent to a model again. */

/** Key of the reasoning among an answer's extras. */
const FIELD = 'reasoning';

/** The maximum length of stored reasoning in characters, about 4,096 tokens; longer reasoning is cut. */
const REASONING_LENGTH = 16_000;

/** Builds the extras with an answer's reasoning; empty without reasoning. */
export function toReasoningExtras(reasoning: string | null): Record<string, string> {
  const text = reasoning?.trim().slice(0, REASONING_LENGTH).toWellFormed() ?? '';
  return text === '' ? {} : { [FIELD]: text };
}

/** Returns the stored reasoning of an answer; null without reasoning. */
export function getReasoning({ additional_kwargs: extras }: Pick<AIMessage, 'additional_kwargs'>): string | null {
  const reasoning = extras[FIELD];
  return typeof reasoning === 'string' && reasoning !== '' ? reasoning : null;
}

const Streamed = z.object({ reasoning_content: z.string() });
/** A content block with reasoning: Anthropic returns a thinking block, Google a marked text. */
const Block = z.union([
  z.object({ type: z.literal('thinking'), thinking: z.string() }).transform(({ thinking }) => thinking),
  z.object({ thought: z.literal(true), text: z.string() }).transform(({ text }) => text),
]);

/** Reads the reasoning from a client library's answer; null without reasoning. Pure. */
export function readReasoning({
  content,
  additional_kwargs: extras,
}: Pick<AIMessage, 'content' | 'additional_kwargs'>): string | null {
  const streamed = Streamed.safeParse(extras);
  if (streamed.success) return streamed.data.reasoning_content;
  if (typeof content === 'string') return null;
  const blocks = content.flatMap((block) => Block.safeParse(block).data ?? []);
  return blocks.length === 0 ? null : blocks.join('\n');
}
