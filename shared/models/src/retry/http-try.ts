import { z } from 'zod';
import { SECOND_MS } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { reasonOfStatus, type FailureFacts, type ModelFailureReason } from './failure.ts';
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
    if (response.ok) return response.body ? withBody(response, watch(response.body)) : response;
    listen();
    const text = await response.text().catch(() => '');
    heard();
    refusal = readRefusal(response, text.slice(0, BODY_CHARS), options.secrets);
    return withBody(response, text);
  };

  /** Passes the body on as it is read. Waiting for the reader is not silence. */
  const watch = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> => {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        listen();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
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
      if (!refusal) return { reason: 'cut', facts: {} };
      return { reason: reasonOfStatus(refusal.status, refusal.codes) ?? 'cut', facts: refusal };
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly codes: readonly string[];
  readonly retryAfterMs: number | null;
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
  error: z
    .union([
      z.string().transform((message) => ({ message, codes: [] as string[] })),
      z
        .object({
          message: z.string().catch(''),
          code: z.string().catch(''),
          type: z.string().catch(''),
          details: z.array(z.object({ reason: z.string().catch('') })).catch([]),
        })
        .transform(({ message, code, type, details }) => ({
          message,
          codes: [code, type, ...details.map(({ reason }) => reason)].filter(Boolean),
        })),
    ])
    .catch({ message: '', codes: [] }),
});

function readRefusal(response: Response, text: string, secrets: readonly string[]): Refusal {
  const json = parseJson(text);
  const body: unknown = Array.isArray(json) ? json[0] : json; // Google wraps stream errors in an array
  const { error } = RefusalBody.catch({ error: { message: '', codes: [] } }).parse(body);
  // Anthropic gives no code for an empty account: its sentence is the only sign.
  const broke = response.status === 400 && /credit balance is too low/i.test(error.message);
  const words = secrets.filter(Boolean).reduce((all, secret) => all.replaceAll(secret, '[secret]'), error.message);
  return {
    status: response.status,
    codes: broke ? ['billing_error'] : error.codes,
    retryAfterMs: readRetryAfter(response.headers),
    detail: words.replace(/\s+/g, ' ').trim().slice(0, DETAIL_CHARS) || null,
  };
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
