import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/** Key of the data that the model's provider wants back with an answer in later requests. */
const KEPT_KEY = 'kept';

/** Key of the id of the handled message. Old records contain this key, so it keeps its name. */
const HANDLED_KEY = 'planner';
const HandledMessage = z.object({ for: z.string() });

const Kept = z.object({ model: z.string(), data: z.unknown() });

/** Builds the extras with which an answer is stored; `readProviderData` reads them. Empty when `data` is null. */
export function toProviderExtras(model: string, data: unknown): Record<string, unknown> {
  return data === null || data === undefined ? {} : { [KEPT_KEY]: { model, data } };
}

/** Picks the extras to store with an answer. Other extras are dropped: raw tool calls would contradict renamed calls. */
export function pickStoredExtras({
  additional_kwargs: extras,
}: Pick<AIMessage, 'additional_kwargs'>): Record<string, unknown> {
  return Object.fromEntries(
    [KEPT_KEY, HANDLED_KEY].flatMap((name) => (extras[name] === undefined ? [] : [[name, extras[name]]])),
  );
}

/** Reads the id of the message that an answer handles; null when the model does not say. */
export function readHandledMessageId(answer: Pick<AIMessage, 'additional_kwargs'> | undefined): string | null {
  return HandledMessage.safeParse(answer?.additional_kwargs[HANDLED_KEY]).data?.for ?? null;
}

/** Builds the extras of an answer that the runtime writes instead of a model. `isDone`: the message needs no further pass. */
export function createHandledExtras(messageId: string, isDone: boolean): Record<string, unknown> {
  return { [HANDLED_KEY]: { for: messageId, done: isDone } };
}

/** Reads the data that `model` wants back with this answer; null when there is no data, or another model answered. */
export function readProviderData<S extends z.ZodType>(
  message: Pick<AIMessage, 'additional_kwargs'>,
  model: string,
  schema: S,
): z.output<S> | null {
  const kept = Kept.safeParse(message.additional_kwargs[KEPT_KEY]);
  if (!kept.success || kept.data.model !== model) return null;
  return schema.safeParse(kept.data.data).data ?? null;
}
