import { z } from 'zod';
import { SECOND_MS } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { classifyStatus, classifyRefusal, type FailureDetails, type ModelFailureReason } from './failure.ts';
import { listTraceHeaders } from './gate.ts';
import type { Fetch } from '../providers/provider.ts';

/** Observes the HTTP traffic of one try. Client libraries report an equal failure in five ways; HTTP has only one way. */
export interface HttpTry {
  /** The fetch for a provider's client: aborts with the signal, gives up on silence, and records the outcome. */
  readonly fetch: Fetch;
  isSent(): boolean;
  /** Explains why the try failed, after the client threw or the answer was incomplete. */
  failure(): { readonly reason: ModelFailureReason; readonly facts: FailureDetails };
}

/** The maximum length of an error body that is read: refusals are short; longer bodies are pages of proxies. */
const MAX_BODY_CHARS = 20_000;
const MAX_DETAIL_CHARS = 300;

/** Starts observing one try. `secrets` are removed from the server's messages. */
export function createHttpTry(options: {
  readonly signal: AbortSignal;
  /** The longest time without a byte from the server, in milliseconds. */
  readonly silenceMs: number;
  readonly secrets: readonly string[];
}): HttpTry {
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isSent = false;
  let failureReason: ModelFailureReason | null = null;
  let refusal: Refusal | null = null;
  /** The start of the body of a 2xx response, which may explain why the response is no answer. */
  let success: SuccessBody | null = null;

  const startTimer = (): void => {
    timer = setTimeout(() => {
      failureReason = 'timeout';
      silence.abort(new DOMException('the model server is silent', 'TimeoutError'));
    }, options.silenceMs);
  };
  const stopTimer = (): void => clearTimeout(timer);

  const observedFetch: Fetch = async (input, init) => {
    isSent = true;
    const own = [init?.signal, input instanceof Request ? input.signal : null].filter((signal) => !!signal);
    const signal = AbortSignal.any([options.signal, silence.signal, ...own]);
    startTimer();
    let response: Response;
    try {
      response = await globalThis.fetch(input, { ...init, headers: addTraceHeaders(input, init), signal });
    } catch (error) {
      failureReason ??= 'network';
      throw error;
    } finally {
      stopTimer();
    }
    if (response.ok) {
      success = { type: response.headers.get('content-type') ?? '', wantsStream: wantsStream(input, init), text: '' };
      return response.body ? replaceBody(response, tapBody(response.body, createBodyRecorder(success))) : response;
    }
    const body = response.body && tapBody(response.body, () => undefined);
    const text = await new Response(body).text().catch(() => '');
    refusal = readRefusal(response, text.slice(0, MAX_BODY_CHARS), options.secrets);
    return replaceBody(response, text);
  };

  /** Forwards the body as it is read. Time in which the reader pauses is not silence. */
  const tapBody = (body: ReadableStream<Uint8Array>, keep: (bytes: Uint8Array) => void): ReadableStream<Uint8Array> => {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        startTimer();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else {
            keep(value);
            controller.enqueue(value);
          }
        } catch (error) {
          failureReason ??= 'cut';
          controller.error(error);
        } finally {
          stopTimer();
        }
      },
      cancel: (reason) => {
        stopTimer();
        return reader.cancel(reason);
      },
    });
  };

  return {
    fetch: observedFetch,
    isSent: () => isSent,
    failure: () => {
      // After an error inside a stream, clients close the connection, which looks as if the server had cut it.
      if (failureReason && (failureReason !== 'cut' || (!success && !refusal)))
        return { reason: failureReason, facts: {} };
      if (!refusal) return success ? explainSuccess(success, options.secrets) : { reason: 'cut', facts: {} };
      const { status, codes, words, isPage } = refusal;
      const reason = isPage && PROXY_PAGE_STATUSES.has(status) ? 'not-chat' : classifyStatus(status, codes, words);
      return { reason: reason ?? 'cut', facts: refusal };
    },
  };
}

function addTraceHeaders(...[input, init]: Parameters<Fetch>): Headers {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  for (const [name, value] of Object.entries(listTraceHeaders())) headers.set(name, value);
  return headers;
}

/** Statuses for which proxies send HTML pages; model servers send JSON. */
const PROXY_PAGE_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 405, 407, 451]);
const STREAMS = /event-stream|ndjson|jsonl/i;

interface SuccessBody {
  readonly type: string;
  readonly wantsStream: boolean;
  text: string;
}

/** Records the start of a response body; for a stream, only what follows an error. */
function createBodyRecorder(success: SuccessBody): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  const isStream = STREAMS.test(success.type);
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    if (!isStream || success.text !== '' || text.includes('"error"'))
      success.text = (success.text + text).slice(0, MAX_BODY_CHARS);
  };
}

function wantsStream(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): boolean {
  const url = input instanceof Request ? input.url : String(input);
  return url.includes('streamGenerateContent') || /"stream"\s*:\s*true/.test(String(init?.body ?? ''));
}

/** Explains why a 2xx response is no answer: it contains an error, or is not a stream. */
function explainSuccess(
  { type, wantsStream: isStreamWanted, text }: SuccessBody,
  secrets: readonly string[],
): { readonly reason: ModelFailureReason; readonly facts: FailureDetails } {
  const documents = [text, ...text.split('\n').map((line) => line.replace(/^data:\s*/, ''))];
  const serverError = documents.map((document) => readError(document, secrets)).find((error) => error !== null);
  if (serverError) {
    const status = serverError.codes.map(Number).find((code) => code >= 400 && code < 600) ?? null;
    const reason =
      status === null
        ? classifyRefusal(serverError.codes, serverError.words)
        : classifyStatus(status, serverError.codes, serverError.words);
    return { reason: reason ?? 'cut', facts: { ...serverError, status } };
  }
  const isOtherContent =
    !STREAMS.test(type) &&
    (/html/i.test(type) || (isStreamWanted && parseJson(text) !== undefined && text.trim() !== ''));
  if (!isOtherContent) return { reason: 'cut', facts: {} };
  return { reason: 'not-chat', facts: { detail: `it answered ${type.slice(0, 60) || 'one document'}` } };
}

interface Refusal extends ErrorWords {
  readonly status: number;
  readonly isPage: boolean;
  readonly retryAfterMs: number | null;
}

interface ErrorWords {
  readonly codes: readonly string[];
  /** The server's original message: for classification only, never shown. */
  readonly words: string;
  readonly detail: string | null;
}

/** Returns the response with another body; a clone would keep the connection open until both are read. */
function replaceBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-encoding'); // the body is decoded already
  headers.delete('content-length');
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

const ErrorFields = z.object({
  message: z
    .unknown()
    .optional()
    .transform((message) => (typeof message === 'string' ? message : JSON.stringify(message ?? ''))),
  code: z.union([z.string(), z.number().transform(String)]).catch(''),
  type: z.string().catch(''),
  param: z.string().catch(''),
  details: z.array(z.object({ reason: z.string().catch('') })).catch([]),
});

function toServerError({ message, code, type, param, details }: z.infer<typeof ErrorFields>) {
  return { message, codes: [code, type, param, ...details.map(({ reason }) => reason)].filter(Boolean) };
}

/**
 * The common error bodies: the `error` object of OpenAI and Anthropic, Google's with details, Ollama's plain string; the bare error of
 * vLLM and Mistral; the `detail` of servers made with FastAPI.
 */
const ErrorBody = z.union([
  z.object({ error: z.string() }).transform(({ error }) => ({ message: error, codes: [] as string[] })),
  z.object({ error: ErrorFields }).transform(({ error }) => toServerError(error)),
  ErrorFields.extend({ object: z.literal('error') }).transform(toServerError),
  z.object({ detail: z.unknown() }).transform(({ detail }) => ({ message: JSON.stringify(detail ?? ''), codes: [] })),
]);

function readRefusal(response: Response, text: string, secrets: readonly string[]): Refusal {
  return {
    ...(readError(text, secrets) ?? { codes: [], words: '', detail: null }),
    status: response.status,
    isPage: /html/i.test(response.headers.get('content-type') ?? ''),
    retryAfterMs: readRetryAfter(response.headers),
  };
}

/** Reads the error from a JSON body; null without an error. */
function readError(text: string, secrets: readonly string[]): ErrorWords | null {
  const json = parseJson(text);
  const body: unknown = Array.isArray(json) ? json[0] : json; // Google wraps stream errors in an array
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success) return null;
  const { codes, message } = parsed.data;
  const words = secrets.filter(Boolean).reduce((all, secret) => all.replaceAll(secret, '[secret]'), message);
  return { codes, words, detail: words.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_CHARS) || null };
}

/** Reads retry-after-ms, else Retry-After in seconds or as a date. Returns milliseconds; null without both headers. */
function readRetryAfter(headers: Headers): number | null {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
