import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/** Where an answer carries what its provider wants back in later requests. */
const FIELD = 'kept';

/** Where an answer says which message it deals with. Records have the name, so it stays. */
const PLACE = 'planner';
const Place = z.object({ for: z.string() });

const Kept = z.object({ model: z.string(), data: z.unknown() });

/** The extras of an answer that belong into the stored conversation: what `readKept` reads. Empty when `data` is null. */
export function keptExtras(model: string, data: unknown): Record<string, unknown> {
  return data === null || data === undefined ? {} : { [FIELD]: { model, data } };
}

/**
 * The extras of an answer that have to be stored with it: what its model wants back. Everything else is left out: raw tool calls among
 * the extras would contradict calls that were renamed.
 */
export function pickKept({ additional_kwargs: extras }: Pick<AIMessage, 'additional_kwargs'>): Record<string, unknown> {
  return Object.fromEntries(
    [FIELD, PLACE].flatMap((name) => (extras[name] === undefined ? [] : [[name, extras[name]]])),
  );
}

/** The id of the message that an answer deals with, where its model says so; else null. */
export function requestOf(answer: Pick<AIMessage, 'additional_kwargs'> | undefined): string | null {
  return Place.safeParse(answer?.additional_kwargs[PLACE]).data?.for ?? null;
}

/** The extras of an answer that the runtime writes in the place of a model; `isDone`: the message needs nothing more. */
export function dealsWith(messageId: string, isDone: boolean): Record<string, unknown> {
  return { [PLACE]: { for: messageId, done: isDone } };
}

/** What `model` wanted back with this answer; null when another model gave it, or nothing was wanted. */
export function readKept<S extends z.ZodType>(
  message: Pick<AIMessage, 'additional_kwargs'>,
  model: string,
  schema: S,
): z.output<S> | null {
  const kept = Kept.safeParse(message.additional_kwargs[FIELD]);
  if (!kept.success || kept.data.model !== model) return null;
  return schema.safeParse(kept.data.data).data ?? null;
}
