import type { AppError } from '@signalbox/contracts/errors';
import { abortAfter, computeBackoffMs, sleep } from '@signalbox/contracts/time';
import { tryChat } from './retry/chat-try.ts';
import { toAppErrorOfModel, isTransient, ModelFailure, needsOperator } from './retry/failure.ts';
import { createGateEntry, type ModelGate, type ModelPermit } from './retry/gate.ts';
import { createHttpTry } from './retry/http-try.ts';
import type { CallOptions, Model, ModelAnswer, ModelObserver, ModelRequest, ModelSpend, TokenCounts } from './port.ts';
import { toLeanSchema } from './providers/object-schema.ts';
import { addPictures } from './pictures.ts';
import { convertMessages } from './runtime-events.ts';
import { pruneOldResults, shortenOldResults } from './shorter.ts';
import type { RemoteSettings } from './settings.ts';
import type { LoadedProvider } from './providers/provider.ts';
import type { Log } from '@signalbox/platform/log';

/** Maximum tries of a call: three survive a short outage; after a longer outage the fallback model answers. */
const MAX_TRIES = 3;
const BACKOFF_MS = 500;
/** The longest pause between two tries, even when the server asks for more: the fallback model is quicker. */
const MAX_WAIT_MS = 20_000;

/** Maximum times that old results are shortened for one call. */
const MAX_SHORTENINGS = 2;

export interface RemoteOptions extends ModelObserver {
  readonly settings: RemoteSettings;
  readonly wire: LoadedProvider;
  readonly silenceMs: number;
  /** The deadline of an answer in milliseconds, including retries. */
  readonly deadlineMs: number;
  readonly tries?: number;
  /** Computes the cost of tokens in USD; null when unknown. */
  readonly cost: (tokens: TokenCounts) => number | null;
  readonly log?: Pick<Log, 'warn' | 'error'>;
  /** Limits the calls to the provider; without it each call retries by itself. */
  readonly gate?: ModelGate;
}

/*
 * One call of a model on a server:
 *   permit of the provider's gate, which may wait → try
 *   try ─┬─ answer
 *        ├─ the caller's signal     → its reason, at once
 *        ├─ the deadline            → MODEL_UNAVAILABLE (timeout)
 *        ├─ a setting refused       → next try without it, and never with it again
 *        ├─ too long                → next try without a limit of the answer, then with the oldest results shortened
 *        ├─ key, model, credit, 4xx → an error that says who can fix it
 *        ├─ 429 with a gate         → all workers pause → the same try again, before those who wait
 *        └─ 429, 5xx, network, silence, cut off → wait (as the server asks, or with backoff) → next try, at most three
 * The retries of the client libraries are off: this loop replaces them.
 */
export function createRemoteModel(options: RemoteOptions): Model {
  const { settings, deadlineMs, tries = MAX_TRIES } = options;
  const { name } = settings;
  /** The settings of each call; those that the model refused are taken out for the lifetime of this process. */
  const accepted: { -readonly [option in keyof CallOptions]: CallOptions[option] } = {
    ...settings.options,
    temperature: settings.options.temperature ?? options.wire.temperature,
  };

  /** Changes a refused request so that it may be taken; null when nothing more can be done. */
  const amend = (sent: SentRequest, { code, refusedOption }: ModelFailure): SentRequest | null => {
    if (refusedOption !== null && sent.options[refusedOption] !== undefined) {
      if (code === 'refused') {
        options.onRefusedSetting?.({ model: name, setting: refusedOption });
        accepted[refusedOption] = undefined;
      }
      if (code === 'refused' || code === 'too-long')
        return { ...sent, options: { ...sent.options, [refusedOption]: undefined } };
    }
    if (code !== 'too-long' || sent.shortenings === MAX_SHORTENINGS) return null;
    const shortenings = sent.shortenings + 1;
    const messages = shortenOldResults(sent.messages, shortenings / MAX_SHORTENINGS);
    if (messages) options.log?.warn('a conversation was too long and its old results were shortened', { model: name });
    return messages && { ...sent, messages, shortenings };
  };

  const ask = async (request: ModelRequest): Promise<ModelAnswer> => {
    const startedAt = performance.now();
    const deadline = abortAfter(deadlineMs);
    const report = (result: string, served: string | null = null): void => {
      const durationMs = performance.now() - startedAt - entry.waitedMs();
      options.onCall?.({ model: name, result, durationMs, served });
    };
    const fail = (failure: ModelFailure): AppError => {
      report(failure.code);
      if (needsOperator(failure.code))
        options.log?.error('a model answers nobody until an operator acts', { model: name, error: failure });
      return toAppErrorOfModel(failure);
    };
    const entry = createGateEntry(options.gate, { ...request, deadlineMs });
    let sent: SentRequest = { messages: pruneOldResults(request.messages), options: { ...accepted }, shortenings: 0 };
    for (let attempt = 1; ; attempt += 1) {
      let permit: ModelPermit | null = null;
      try {
        permit = await entry.enter();
        if (!permit) throw new ModelFailure('rate-limited', { model: name });
        const answer = await tryOnce(options, request, sent, AbortSignal.any([request.signal, deadline]));
        report('answered', readServedModel(answer));
        return answer;
      } catch (thrown) {
        if (request.signal.aborted) {
          report('aborted');
          throw request.signal.reason;
        }
        const failure =
          deadline.aborted && permit
            ? new ModelFailure('timeout', { model: name, variables: settings.provider.variables })
            : thrown;
        if (!(failure instanceof ModelFailure)) throw thrown; // a bug of ours: no request was sent
        const amended = deadline.aborted ? null : amend(sent, failure);
        if (amended) {
          sent = amended;
          attempt -= 1;
          continue;
        }
        if (!permit) throw fail(failure);
        if (failure.code === 'rate-limited' && permit.refuse) {
          await permit.refuse(failure.retryAfterMs ?? 0);
          attempt -= 1;
          continue;
        }
        const waitMs = Math.max(failure.retryAfterMs ?? 0, computeBackoffMs(attempt - 1, BACKOFF_MS, MAX_WAIT_MS));
        const limitMs = Math.min(MAX_WAIT_MS, startedAt + deadlineMs - performance.now());
        const isFinal = deadline.aborted || !isTransient(failure.code) || attempt >= tries;
        if (isFinal || waitMs > limitMs) throw fail(failure);
        permit.leave();
        await sleep(waitMs, request.signal);
      } finally {
        permit?.leave();
      }
    }
  };
  return { name, silenceMs: options.silenceMs, ask, ...(settings.sees ? { sees: true as const } : {}) };
}

/** What is sent of a request, after refusals. */
interface SentRequest {
  readonly messages: ModelRequest['messages'];
  readonly options: CallOptions;
  readonly shortenings: number;
}

/** Makes one try. Throws ModelFailure for failures of the connection or the answer; other errors pass through. */
async function tryOnce(
  { settings, wire, silenceMs, cost, onSpend }: RemoteOptions,
  request: ModelRequest,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { name: model, apiKey } = settings;
  const http = createHttpTry({ signal, silenceMs, secrets: apiKey === null ? [] : [apiKey] });
  let isCounted = false;
  const spend = (tokens: TokenCounts | null): void => {
    isCounted = true;
    const { inputTokens, cachedTokens, outputTokens } = tokens ?? ZERO_TOKENS;
    const spent: ModelSpend = { model, inputTokens, cachedTokens, outputTokens, costUsd: tokens && cost(tokens) };
    request.onSpend?.(spent);
    onSpend?.(spent);
  };
  try {
    const messages = addPictures(convertMessages(sent.messages), request.pictures ?? [], settings.sees);
    const message = await tryChat({
      wire,
      model,
      request: withLeanSchemas({ ...request, messages }),
      options: sent.options,
      fetch: http.fetch,
      signal,
      count: spend,
    });
    if (!isCounted) spend(null); // a try without reported usage still records the model
    return { message, model };
  } catch (thrown) {
    if (signal.aborted || !http.isSent()) throw thrown;
    const { reason, facts } = http.failure();
    const kind = thrown instanceof Error ? thrown.constructor.name : typeof thrown;
    throw new ModelFailure(reason, { ...facts, kind, model, variables: settings.provider.variables });
  }
}

function withLeanSchemas({ tools, object, ...request }: ModelRequest): ModelRequest {
  return {
    ...request,
    tools: tools.map((tool) => ({ ...tool, schema: toLeanSchema(tool.schema) })),
    object: object && { ...object, schema: toLeanSchema(object.schema) },
  };
}

const ZERO_TOKENS = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

/** Reads the model's name in the server's answer, such as the dated name behind an alias. */
function readServedModel({ message }: ModelAnswer): string | null {
  const { model_name: name, model = name }: Readonly<Record<string, unknown>> = message.response_metadata;
  return typeof model === 'string' && /^[\w./:@+-]{1,100}$/.test(model) ? model : null;
}
