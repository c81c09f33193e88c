import { z } from 'zod';
import { SECOND_MS } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { reasonOfStatus, reasonOfWords, type FailureFacts, type ModelFailureReason } from './failure.ts';
import type { Fetch } from '../providers/provider.ts';

/** What was seen on the wire of one try. The clients dress the same failure in five ways; the wire has one. */
export interface HttpTry {
  /** Give it to a provider's client: it ends with the signal, gives up on silence, and notes how it went. */
  readonly fetch: Fetch;
  /** Whether anything was sent at all. */
  asked(): boolean;
  /** Why it failed, given that the client threw or the answer is not whole. */
  failure(): { readonly reason: ModelFailureReason; readonly facts: FailureFacts };
}

/** Refusals are short; a page of a proxy is not worth more. */
const BODY_CHARS = 20_000;
const DETAIL_CHARS = 300;

/** Opens the wire of one try. `secrets` are cut out of what the server says. */
export function createHttpTry(options: {
  readonly signal: AbortSignal;
  /** Longest time without a byte. */
  readonly silenceMs: number;
  readonly secrets: readonly string[];
}): HttpTry {
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let asked = false;
  let lost: ModelFailureReason | null = null;
  let refusal: Refusal | null = null;
  /** What came with a status of success, as far as it may say why it is no answer. */
  let given: Given | null = null;

  const listen = (): void => {
    timer = setTimeout(() => {
      lost = 'timeout';
      silence.abort(new DOMException('the model server is silent', 'TimeoutError'));
    }, options.silenceMs);
  };
  const heard = (): void => clearTimeout(timer);

  const hurry: Fetch = async (input, init) => {
    asked = true;
    const own = [init?.signal, input instanceof Request ? input.signal : null].filter((signal) => !!signal);
    const signal = AbortSignal.any([options.signal, silence.signal, ...own]);
    listen();
    let response: Response;
    try {
      response = await globalThis.fetch(input, { ...init, signal });
    } catch (error) {
      lost ??= 'network';
      throw error;
    } finally {
      heard();
    }
    if (response.ok) {
      given = { type: response.headers.get('content-type') ?? '', wantsStream: wantsStream(input, init), text: '' };
      return response.body ? withBody(response, watch(response.body, keeperOf(given))) : response;
    }
    listen();
    const text = await response.text().catch(() => '');
    heard();
    refusal = readRefusal(response, text.slice(0, BODY_CHARS), options.secrets);
    return withBody(response, text);
  };

  /** Passes the body on as it is read. Waiting for the reader is not silence. */
  const watch = (body: ReadableStream<Uint8Array>, keep: (bytes: Uint8Array) => void): ReadableStream<Uint8Array> => {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        listen();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else {
            keep(value);
            controller.enqueue(value);
          }
        } catch (error) {
          lost ??= 'cut';
          controller.error(error);
        } finally {
          heard();
        }
      },
      cancel: (reason) => {
        heard();
        return reader.cancel(reason);
      },
    });
  };

  return {
    fetch: hurry,
    asked: () => asked,
    failure: () => {
      if (lost) return { reason: lost, facts: {} };
      if (!refusal) return given ? readGiven(given, options.secrets) : { reason: 'cut', facts: {} };
      const { status, codes, words, isPage } = refusal;
      const reason = isPage && PAGE_OF_ANOTHER.has(status) ? 'not-chat' : reasonOfStatus(status, codes, words);
      return { reason: reason ?? 'cut', facts: refusal };
    },
  };
}

/** Statuses with which a proxy answers by a page of its own; model servers answer with JSON. */
const PAGE_OF_ANOTHER: ReadonlySet<number> = new Set([400, 401, 403, 405, 407, 451]);
const STREAMS = /event-stream|ndjson|jsonl/i;

interface Given {
  readonly type: string;
  readonly wantsStream: boolean;
  text: string;
}

/** Keeps the beginning of what comes; of a stream what follows an error inside of it, which is all that is wanted of one. */
function keeperOf(given: Given): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  const isStream = STREAMS.test(given.type);
  return (bytes) => {
    const text = decoder.decode(bytes, { stream: true });
    if (!isStream || given.text !== '' || text.includes('"error"'))
      given.text = (given.text + text).slice(0, BODY_CHARS);
  };
}

function wantsStream(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): boolean {
  const url = input instanceof Request ? input.url : String(input);
  return url.includes('streamGenerateContent') || /"stream"\s*:\s*true/.test(String(init?.body ?? ''));
}

/** Why what came with a status of success is no answer: an error inside of it, or something else than a stream. */
function readGiven(
  { type, wantsStream: isAsked, text }: Given,
  secrets: readonly string[],
): { readonly reason: ModelFailureReason; readonly facts: FailureFacts } {
  const documents = [text, ...text.split('\n').map((line) => line.replace(/^data:\s*/, ''))];
  const found = documents.map((one) => readError(one, secrets)).find((error) => error !== null);
  if (found) {
    const status = found.codes.map(Number).find((code) => code >= 400 && code < 600) ?? null;
    const reason =
      status === null ? reasonOfWords(found.codes, found.words) : reasonOfStatus(status, found.codes, found.words);
    return { reason: reason ?? 'cut', facts: { ...found, status } };
  }
  const isElse =
    !STREAMS.test(type) && (/html/i.test(type) || (isAsked && parseJson(text) !== undefined && text.trim() !== ''));
  if (!isElse) return { reason: 'cut', facts: {} };
  return { reason: 'not-chat', facts: { detail: `it answered ${type.slice(0, 60) || 'one document'}` } };
}

interface Refusal extends ErrorWords {
  readonly status: number;
  readonly isPage: boolean;
  readonly retryAfterMs: number | null;
}

/** What a server says of an error. */
interface ErrorWords {
  readonly codes: readonly string[];
  /** As it was said: to be looked at, and shown to nobody. */
  readonly words: string;
  readonly detail: string | null;
}

/** A clone would keep the connection open until both halves are read. */
function withBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-encoding'); // the body is decoded already
  headers.delete('content-length');
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

/** The usual shapes of a refusal: OpenAI's and Anthropic's `error` object, Google's with details, Ollama's plain sentence. */
const RefusalBody = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, codes: [] as string[] })),
    z
      .object({
        message: z.string().catch(''),
        code: z.union([z.string(), z.number().transform(String)]).catch(''),
        type: z.string().catch(''),
        param: z.string().catch(''),
        details: z.array(z.object({ reason: z.string().catch('') })).catch([]),
      })
      .transform(({ message, code, type, param, details }) => ({
        message,
        codes: [code, type, param, ...details.map(({ reason }) => reason)].filter(Boolean),
      })),
  ]),
});

function readRefusal(response: Response, text: string, secrets: readonly string[]): Refusal {
  return {
    ...(readError(text, secrets) ?? { codes: [], words: '', detail: null }),
    status: response.status,
    isPage: /html/i.test(response.headers.get('content-type') ?? ''),
    retryAfterMs: readRetryAfter(response.headers),
  };
}

/** The error in a body; null when there is none. */
function readError(text: string, secrets: readonly string[]): ErrorWords | null {
  const json = parseJson(text);
  const body: unknown = Array.isArray(json) ? json[0] : json; // Google wraps stream errors in an array
  const parsed = RefusalBody.safeParse(body);
  if (!parsed.success) return null;
  const { codes, message } = parsed.data.error;
  const words = secrets.filter(Boolean).reduce((all, secret) => all.replaceAll(secret, '[secret]'), message);
  return { codes, words, detail: words.replace(/\s+/g, ' ').trim().slice(0, DETAIL_CHARS) || null };
}

/** The header in seconds or as a date; OpenAI's finer one first. */
function readRetryAfter(headers: Headers): number | null {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
