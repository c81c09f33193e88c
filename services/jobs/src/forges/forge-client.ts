import { AppError } from '@signalbox/contracts/errors';
import { MIB } from '@signalbox/contracts/size';
import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, computeBackoffMs, SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';
import { cleanName } from '@signalbox/contracts/plain-name';
import { request as send, type Dispatcher } from 'undici';
import { z } from 'zod';

export interface ForgeCall {
  readonly method: 'GET' | 'POST';
  /** Path below the API's address, with its parts encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** Replaces the login's header. */
  readonly authorization?: string;
}

/** An answer of a forge; `body` is its parsed JSON, undefined when it is none. */
export interface ForgeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface ForgeClientOptions {
  /** Address of the API. */
  readonly api: string;
  /** Name of the forge for people. */
  readonly name: string;
  readonly repository: string;
  /** What a token needs, for people. */
  readonly rights: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the header of the login; null for requests without one. */
  readonly authorize: ((signal: AbortSignal) => Promise<string>) | null;
  /** Certificate authority and time limits of connections. */
  readonly dispatcher: Dispatcher;
  readonly limits?: Partial<ForgeLimits>;
}

export interface ForgeLimits {
  /** Time limit of one request. */
  readonly requestMs: number;
  /** The longest pause that a forge may ask for within a job; after a longer one, the job ends and says when to ask again. */
  readonly maxPauseMs: number;
  /** First pause before a retry; it doubles each time. */
  readonly pauseMs: number;
}

export interface ForgeClient {
  /** Asks and parses the answer. Throws FORGE_REFUSED, FORGE_AWAY. */
  ask<T extends z.ZodType>(call: ForgeCall, shape: T, signal: AbortSignal): Promise<z.output<T>>;
  /** Returns the answer whatever its status is, except for those that concern every request. Throws FORGE_REFUSED, FORGE_AWAY. */
  send(call: ForgeCall, signal: AbortSignal): Promise<ForgeAnswer>;
  refuse(detail: string, cause?: unknown): AppError<'FORGE_REFUSED'>;
  /** Explains an answer that is no success. */
  explain(answer: ForgeAnswer): AppError<'FORGE_REFUSED'>;
}

const LIMITS: ForgeLimits = { requestMs: 20 * SECOND_MS, maxPauseMs: 30 * SECOND_MS, pauseMs: SECOND_MS };
const TRIES = 3;
const MAX_ANSWER_BYTES = 4 * MIB;
const MAX_REASON_LENGTH = 160;

/** Opens a client of one forge's API. It follows no redirect, and every request has a deadline. */
export function createForgeClient(options: ForgeClientOptions): ForgeClient {
  const { name: forge, repository, rights } = options;
  const limits = { ...LIMITS, ...options.limits };
  const refuse = (detail: string, cause?: unknown) =>
    new AppError('FORGE_REFUSED', { forge, repository, detail }, cause);
  const away = (detail: string, cause?: unknown) => new AppError('FORGE_AWAY', { forge, detail }, cause);
  const explain = (answer: ForgeAnswer): AppError<'FORGE_REFUSED'> => {
    const { status } = answer;
    if (status >= 300 && status < 400) return refuse(say('forge.moved'));
    if (status === 401) return refuse(say('forge.tokenRefused'));
    if (status === 404) return refuse(say('forge.notFound', { rights }));
    if (status === 423 || (status === 403 && /archived/i.test(readErrorTexts(answer.body))))
      return refuse(say('forge.archived'));
    if (status === 403) return refuse(say('forge.rightMissing', { rights }));
    return refuse(say('forge.refused', { status, reason: readErrorTexts(answer.body) || '–' }));
  };

  const once = async (call: ForgeCall, signal: AbortSignal): Promise<ForgeAnswer> => {
    const url = new URL(`${options.api}${call.path}`);
    for (const [key, value] of Object.entries(call.query ?? {})) url.searchParams.set(key, String(value));
    const authorization = call.authorization ?? (await options.authorize?.(signal));
    const answer = await send(url, {
      method: call.method,
      dispatcher: options.dispatcher,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': 'signalbox',
        ...options.headers,
        ...(authorization === undefined ? {} : { authorization }),
        ...(call.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    });
    const body = await readBody(answer.body);
    if (body === null) throw refuse(say('forge.tooLarge'));
    return { status: answer.statusCode, headers: answer.headers, body: parseJson(body) };
  };

  /** A write is tried once: whether it took effect is not known, so the caller looks first. */
  const sendCall = async (call: ForgeCall, signal: AbortSignal): Promise<ForgeAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const isLast = attempt === TRIES;
      const pauseMs = computeBackoffMs(attempt - 1, limits.pauseMs, limits.maxPauseMs);
      let answer: ForgeAnswer;
      try {
        answer = await once(call, AbortSignal.any([signal, abortAfter(limits.requestMs)]));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        if (isLast || call.method !== 'GET') throw away(say('forge.noAnswer'), error);
        await sleepOrThrow(pauseMs, signal);
        continue;
      }
      const limited = readRateLimit(answer, Date.now());
      if (limited !== null) {
        // A limited request had no effect, so a write may be repeated as well.
        if (isLast || limited > limits.maxPauseMs) throw away(sayRateLimit(limited));
        await sleepOrThrow(Math.max(limited, pauseMs), signal);
      } else if (answer.status >= 500) {
        if (isLast || call.method !== 'GET') throw away(say('forge.failing', { status: answer.status }));
        await sleepOrThrow(pauseMs, signal);
      } else return answer;
    }
  };

  return {
    send: sendCall,
    refuse,
    explain,
    async ask(call, shape, signal) {
      const answer = await sendCall(call, signal);
      if (answer.status < 200 || answer.status > 299) throw explain(answer);
      const parsed = shape.safeParse(answer.body);
      if (!parsed.success) throw refuse(say('forge.otherForm'), parsed.error);
      return parsed.data;
    },
  };
}

/** Reads a body up to the maximum; null for a larger one. */
async function readBody(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) {
      body.destroy();
      return null;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Milliseconds until a forge lets us ask again; null when it does not limit us. Pure. */
function readRateLimit({ status, headers, body }: ForgeAnswer, now: number): number | null {
  const read = (name: string): number | null => {
    const value = headers[name];
    return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : null;
  };
  const isSpent = read('x-ratelimit-remaining') === 0 || read('retry-after') !== null;
  // GitHub answers 403 to who asks too often, and says so in words when it names no time.
  const isLimited = status === 429 || (status === 403 && (isSpent || /rate limit/i.test(readErrorTexts(body))));
  if (!isLimited) return null;
  const after = read('retry-after');
  if (after !== null) return after * 1_000;
  const reset = read('x-ratelimit-reset') ?? read('ratelimit-reset');
  return reset === null ? 60 * SECOND_MS : Math.max(0, reset * 1_000 - now);
}

function sayRateLimit(ms: number): string {
  const at = new Date(Date.now() + Math.min(ms, 86_400_000)).toISOString();
  return say('forge.rateLimit', { time: `${at.slice(0, 10)} ${at.slice(11, 16)} UTC` });
}

/** Returns the reasons in a forge's answer as one short line, which is a text from outside. Pure. */
export function readErrorTexts(body: unknown): string {
  const texts = ErrorBody.safeParse(body).data ?? {};
  const parts = [texts.message, texts.error, texts.errors].flatMap((part) => part ?? []);
  return redactText(cleanName(parts.join('; '))).slice(0, MAX_REASON_LENGTH);
}

/** Texts of an error, in every form in which a forge gives them; anything else in them is left out. */
const ErrorText = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]);
const ErrorTexts = z
  .union([ErrorText.transform((text) => [text]), z.array(ErrorText.catch(''))])
  .transform((texts) => texts.filter((text) => text !== ''))
  .catch([]);
const ErrorBody = z.object({
  message: ErrorTexts.optional(),
  error: ErrorTexts.optional(),
  errors: ErrorTexts.optional(),
});
