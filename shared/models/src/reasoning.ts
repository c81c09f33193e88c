import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/*
 * Why a model answers as it does, in its own words, where its provider gives them. They are for the record alone: people are not shown
 * them, and no model is given them again.
 */

/** Where an answer carries it. */
const FIELD = 'reasoning';

/** About what an answer of 4,096 tokens can hold, the usual limit of a provider; what is longer is cut. */
const REASONING_LENGTH = 16_000;

/** The extras of an answer with its reasoning; empty when there is none. */
export function reasoningExtras(reasoning: string | null): Record<string, string> {
  const text = reasoning?.trim().slice(0, REASONING_LENGTH).toWellFormed() ?? '';
  return text === '' ? {} : { [FIELD]: text };
}

/** The reasoning of an answer of ours; null when there is none. */
export function reasoningOf({ additional_kwargs: extras }: Pick<AIMessage, 'additional_kwargs'>): string | null {
  const reasoning = extras[FIELD];
  return typeof reasoning === 'string' && reasoning !== '' ? reasoning : null;
}

const Streamed = z.object({ reasoning_content: z.string() });
/** Anthropic's client gives a block of its own, and Google's a text with a mark. */
const Block = z.union([
  z.object({ type: z.literal('thinking'), thinking: z.string() }).transform(({ thinking }) => thinking),
  z.object({ thought: z.literal(true), text: z.string() }).transform(({ text }) => text),
]);

/** What a client of a provider gives as the reasoning of an answer; null when there is none. Pure. */
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
