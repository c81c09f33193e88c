import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/** Where an answer carries what its provider wants back in later requests. */
const FIELD = 'kept';

const Kept = z.object({ model: z.string(), data: z.unknown() });

/** The extras of an answer that belong into the stored conversation: what `readKept` reads. Empty when `data` is null. */
export function keptExtras(model: string, data: unknown): Record<string, unknown> {
  return data === null || data === undefined ? {} : { [FIELD]: { model, data } };
}

/** The extras of an answer that have to be stored with it: what its provider wants back. */
export function pickKept(message: Pick<AIMessage, 'additional_kwargs'>): Record<string, unknown> {
  const kept = message.additional_kwargs[FIELD];
  return kept === undefined ? {} : { [FIELD]: kept };
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
