import type { AIMessage, AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { keptExtras } from '../kept.ts';
import { createGrowingAnswer } from '../growing-answer.ts';
import type { ModelRequest } from '../port.ts';
import { isComplete, type Fetch, type Wire } from '../providers/provider.ts';
import { createCallReader } from '../sent-calls.ts';
import { toAnswer } from '../whole-answer.ts';

/** What a try uses, as the provider counts it. */
export interface TokenCounts {
  /** All input, cached or not. */
  readonly inputTokens: number;
  /** Of the input: read from the provider's cache. */
  readonly cachedTokens: number;
  /** Of the input: written to the provider's cache, which some of them charge for. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** An answer that lacks its end. */
class BrokenAnswer extends Error {
  constructor() {
    super('the answer of the model broke off');
    this.name = 'BrokenAnswer';
  }
}

export interface ChatTry {
  readonly wire: Wire;
  /** The model, as `provider:model`. */
  readonly model: string;
  readonly request: ModelRequest;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Hears what was used as soon as the provider says it, also when the answer breaks off afterwards. */
  readonly count: (tokens: TokenCounts) => void;
}

/**
 * Asks once. Text is streamed, so that a person can read along and silence is noticed; objects come in one piece. Throws what the
 * client throws, BrokenAnswer when the end is missing, and the signal's reason as soon as it fires, whatever the client does.
 */
export async function tryChat({ wire, model, request, fetch, signal, count }: ChatTry): Promise<AIMessage> {
  const client = wire.client(request, fetch);
  const messages = wire.arrange(request.messages);
  const calls = request.object ? null : createCallReader();
  const ends: string[] = [];
  const answered = request.object ? client.invoke(messages, { signal }) : readStream();
  const answer = await orAborted(answered, signal);
  if (request.object) tell(answer.usage_metadata);
  const end = ends.find((one) => !isComplete(one)) ?? ends.at(-1) ?? wire.endOf(answer);
  if (end === null) throw new BrokenAnswer();
  return toAnswer(answer, calls?.calls() ?? [], { end, request, kept: keptExtras(model, wire.keep?.(answer) ?? null) });

  /** Servers that count nothing say zero, which no request is. */
  function tell(usage: UsageMetadata | undefined, again = 0): void {
    if (!usage || usage.input_tokens + usage.output_tokens === 0) return;
    count(readUsage({ ...usage, output_tokens: usage.output_tokens - again }));
  }

  async function readStream(): Promise<AIMessageChunk> {
    const grow = request.draft && createGrowingAnswer(request.draft);
    let whole: AIMessageChunk | undefined;
    let counts = 0;
    let first = 0;
    try {
      for await (const piece of await client.stream(messages, { signal })) {
        signal.throwIfAborted();
        const usage = piece.usage_metadata as UsageMetadata | undefined; // its type is lost on the way through a Runnable
        if (usage) counts += 1;
        if (usage && counts === 1) first = usage.output_tokens;
        whole = whole ? concat(whole, piece) : piece;
        calls?.take(piece);
        const end = wire.endOf(piece);
        if (end !== null) ends.push(end);
        grow?.(piece);
      }
    } finally {
      tell(whole?.usage_metadata, wire.countsAnew && counts > 1 ? first : 0);
    }
    if (!whole) throw new BrokenAnswer();
    return whole;
  }
}

/** Not every client ends with its signal. What it answers later is ignored: its connection is closed. */
async function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  answer.catch(() => undefined);
  signal.throwIfAborted();
  let stopListening = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error); // every abort of ours gives an error
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
