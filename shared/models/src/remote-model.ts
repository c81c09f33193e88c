import { abortAfter, backoffMs, sleep } from '@signalbox/contracts/time';
import { tryChat, type TokenCounts } from './retry/chat-try.ts';
import { asAppError, isTransient, ModelFailure } from './retry/failure.ts';
import { createHttpTry } from './retry/http-try.ts';
import type { Model, ModelAnswer, ModelObserver, ModelRequest, ModelSpend } from './port.ts';
import { withPictures } from './pictures.ts';
import type { RemoteSettings } from './settings.ts';
import type { Wire } from './providers/provider.ts';

/** Two more tries ride out a short failure; a longer one is for the next model. */
const TRIES = 3;
const BACKOFF_MS = 500;
/** The longest pause between two tries, whatever the server asks for: the next model is quicker. */
const LONGEST_WAIT_MS = 20_000;

export interface RemoteOptions extends ModelObserver {
  readonly settings: RemoteSettings;
  readonly wire: Wire;
  readonly silenceMs: number;
  /** For an answer with all its tries. */
  readonly deadlineMs: number;
  readonly tries?: number;
  /** What these tokens cost at this model, in USD; null when that is not known. */
  readonly cost: (tokens: TokenCounts) => number | null;
}

/*
 * One call of a model on a server:
 *   try ─┬─ answer
 *        ├─ the caller's signal     → its reason, at once
 *        ├─ the deadline            → MODEL_UNAVAILABLE (timeout)
 *        ├─ key, model, credit, 4xx → the error that says who can mend it
 *        └─ 429, 5xx, network, silence, cut off → wait (as the server asks, or longer each time) → try again, up to three times
 * The clients' own retries are off: this is the only rule, for all of them.
 */
export function createRemoteModel(options: RemoteOptions): Model {
  const { settings, deadlineMs, tries = TRIES } = options;
  const { name } = settings;

  const ask = async (request: ModelRequest): Promise<ModelAnswer> => {
    const startedAt = performance.now();
    const deadline = abortAfter(deadlineMs);
    const signal = AbortSignal.any([request.signal, deadline]);
    const done = (result: string): void =>
      options.onCall?.({ model: name, result, durationMs: performance.now() - startedAt });

    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await tryOnce(options, request, signal);
        done('answered');
        return answer;
      } catch (thrown) {
        if (request.signal.aborted) {
          done('aborted');
          throw request.signal.reason;
        }
        const failure = deadline.aborted
          ? new ModelFailure('timeout', { model: name, variables: settings.provider.variables })
          : thrown;
        if (!(failure instanceof ModelFailure)) throw thrown; // a mistake of ours: nothing was asked
        const waitMs = Math.max(failure.retryAfterMs ?? 0, backoffMs(attempt - 1, BACKOFF_MS, LONGEST_WAIT_MS));
        const leftMs = startedAt + deadlineMs - performance.now();
        const again = !deadline.aborted && isTransient(failure.code) && attempt < tries;
        if (!again || waitMs > Math.min(LONGEST_WAIT_MS, leftMs)) {
          done(failure.code);
          throw asAppError(failure);
        }
        await sleep(waitMs, request.signal);
      }
    }
  };
  return { name, ask, ...(settings.sees ? { sees: true as const } : {}) };
}

/** Throws a ModelFailure for whatever the wire or the answer is to blame for; anything else is thrown as it is. */
async function tryOnce(
  { settings, wire, silenceMs, cost, onSpend }: RemoteOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { name: model, apiKey } = settings;
  const http = createHttpTry({ signal, silenceMs, secrets: apiKey === null ? [] : [apiKey] });
  let counted = false;
  const spend = (tokens: TokenCounts | null): void => {
    counted = true;
    const { inputTokens, cachedTokens, outputTokens } = tokens ?? NOTHING_COUNTED;
    const spent: ModelSpend = { model, inputTokens, cachedTokens, outputTokens, costUsd: tokens && cost(tokens) };
    request.onSpend?.(spent);
    onSpend?.(spent);
  };
  try {
    const messages = withPictures(request.messages, request.pictures ?? [], settings.sees);
    const message = await tryChat({
      wire,
      model,
      request: { ...request, messages },
      fetch: http.fetch,
      signal,
      count: spend,
    });
    if (!counted) spend(null); // the turn still has to say who answered, and that its cost is not known
    return { message, model };
  } catch (thrown) {
    if (signal.aborted || !http.asked()) throw thrown;
    const { reason, facts } = http.failure();
    const kind = thrown instanceof Error ? thrown.constructor.name : typeof thrown;
    throw new ModelFailure(reason, { ...facts, kind, model, variables: settings.provider.variables });
  }
}

const NOTHING_COUNTED = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
