import type { AIMessage, AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { toProviderExtras } from '../kept.ts';
import { createDraftUpdater } from '../answers/growing-answer.ts';
import type { CallOptions, ModelRequest, TokenCounts } from '../port.ts';
import { isNormalFinish, type Fetch, type LoadedProvider } from '../providers/provider.ts';
import { createCallReader } from '../answers/sent-calls.ts';
import { cleanAnswer } from '../answers/whole-answer.ts';

/** Thrown for an answer that broke off before its end. */
class BrokenAnswer extends Error {
  constructor() {
    super('the answer of the model broke off');
    this.name = 'BrokenAnswer';
  }
}

export interface ChatTry {
  readonly wire: LoadedProvider;
  /** The model's name as `provider:model`. */
  readonly model: string;
  readonly request: ModelRequest;
  readonly options: CallOptions;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Called as soon as the provider reports token counts, even when the answer breaks off later. */
  readonly count: (tokens: TokenCounts) => void;
}

/**
 * Makes one call. Text is streamed, so that a person can read along and silence is noticed; objects arrive in one piece. Throws the
 * client's errors, BrokenAnswer when the end is missing, and the signal's reason.
 */
export async function tryChat({ wire, model, request, options, fetch, signal, count }: ChatTry): Promise<AIMessage> {
  const client = wire.client({ ...request, options }, fetch);
  const messages = wire.arrange(request.messages);
  const calls = request.object ? null : createCallReader();
  const ends: string[] = [];
  const answered = request.object ? client.invoke(messages, { signal }) : readStream();
  const answer = await untilAborted(answered, signal);
  if (request.object) reportUsage(answer.usage_metadata);
  const end = ends.find((reason) => !isNormalFinish(reason)) ?? ends.at(-1) ?? wire.endOf(answer);
  if (end === null) throw new BrokenAnswer();
  return cleanAnswer(answer, calls?.calls() ?? [], {
    end,
    request,
    kept: toProviderExtras(model, wire.keep?.(answer) ?? null),
  });

  /** Reports token counts. Servers that do not count report zero, which no real request uses. */
  function reportUsage(usage: UsageMetadata | undefined, repeated = 0): void {
    if (!usage || usage.input_tokens + usage.output_tokens === 0) return;
    count(readUsage({ ...usage, output_tokens: usage.output_tokens - repeated }));
  }

  async function readStream(): Promise<AIMessageChunk> {
    const feedDraft = request.draft && createDraftUpdater(request.draft);
    let whole: AIMessageChunk | undefined;
    let counts = 0;
    let first = 0;
    try {
      for await (const piece of await client.stream(messages, { signal })) {
        signal.throwIfAborted();
        const usage = piece.usage_metadata as UsageMetadata | undefined; // the library's Runnable type lacks the type of this field
        if (usage) counts += 1;
        if (usage && counts === 1) first = usage.output_tokens;
        whole = whole ? concat(whole, piece) : piece;
        calls?.take(piece);
        const end = wire.endOf(piece);
        if (end !== null) ends.push(end);
        feedDraft?.(piece);
      }
    } finally {
      reportUsage(whole?.usage_metadata, wire.repeatsFirstCount && counts > 1 ? first : 0);
    }
    if (!whole) throw new BrokenAnswer();
    return whole;
  }
}

/** Resolves with the result of a client call, or rejects with the signal's reason, because not every client honors its signal. */
async function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  answer.catch(() => undefined);
  signal.throwIfAborted();
  let stopListening = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error); // every abort in Signalbox passes an error
    signal.addEventListener('abort', abort, { once: true });
    stopListening = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    stopListening();
  }
}

function readUsage({ input_tokens, output_tokens, input_token_details }: UsageMetadata): TokenCounts {
  return {
    inputTokens: input_tokens,
    cachedTokens: input_token_details?.cache_read ?? 0,
    cacheWriteTokens: input_token_details?.cache_creation ?? 0,
    outputTokens: output_tokens,
  };
}
