import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import type { CallOptions } from '../port.ts';

/** Why a model did not answer; logged as the `code` of the error's cause. */
export type ModelFailureReason =
  | 'timeout'
  | 'network'
  | 'cut'
  | 'rate-limited'
  | 'server-error'
  | 'no-credit'
  | 'unauthorized'
  | 'model-unknown'
  | 'not-chat'
  | 'too-long'
  | 'refused';

/** Details of a model's failure besides the reason. */
export interface FailureDetails {
  readonly model?: string;
  /** Names of the variables that configure the model. */
  readonly variables?: { readonly key: string | null; readonly url: string; readonly model: string };
  readonly status?: number | null;
  /** Codes and parameter names from the server's error. */
  readonly codes?: readonly string[];
  /** The server's original message: for classification only, never shown. */
  readonly words?: string;
  /** The class name of the client's error about an unreadable answer. */
  readonly kind?: string;
  /** The time that the server's Retry-After header asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | null;
  /** The server's error message without keys, for `doctor` only. Never logged, because it may quote the conversation. */
  readonly detail?: string | null;
}

/** The cause of MODEL_UNAVAILABLE and related errors, for operators. The message of this error holds neither keys nor message text. */
export class ModelFailure extends Error {
  readonly code: ModelFailureReason;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly detail: string | null;
  /** The optional setting of the call that the server refused; null when it named none. */
  readonly refusedOption: keyof CallOptions | null;

  constructor(code: ModelFailureReason, facts: FailureDetails = {}) {
    const { model = 'the model', status = null, retryAfterMs = null, detail = null } = facts;
    const details = [
      ...(status === null ? [] : [`HTTP ${status}`]),
      ...(code === 'cut' && status === null && facts.kind ? [facts.kind] : []),
      ...(facts.codes ?? []).filter((value) => PLAIN_CODE.test(value)),
    ];
    const suffix = details.length === 0 ? '' : ` (${details.join(', ')})`;
    super(`${model}: ${HINTS[code]}${describeCheck(code, facts.variables)}${suffix}`);
    this.name = 'ModelFailure';
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
    this.refusedOption = status === null ? null : findRefusedOption([...(facts.codes ?? []), facts.words ?? '']);
  }
}

/** What servers call the optional settings of a call, in parameter names and in sentences. */
const OPTION_WORDS: readonly (readonly [keyof CallOptions, RegExp])[] = [
  ['temperature', /\btemperature\b/i],
  [
    'maxOutputTokens',
    /max_(?:\w+_)?tokens|max_?output_?tokens|num_predict|\b(?:output|completion) tokens|in the (?:completion|output)\b/i,
  ],
];

function findRefusedOption(texts: readonly string[]): keyof CallOptions | null {
  return OPTION_WORDS.find(([, pattern]) => texts.some((text) => pattern.test(text)))?.[0] ?? null;
}

/** Matches an error code of one word; longer text may quote the conversation. */
const PLAIN_CODE = /^[\w.-]{1,60}$/;

const HINTS: Readonly<Record<ModelFailureReason, string>> = {
  timeout: 'no answer in time',
  network: 'the server could not be reached',
  cut: 'the answer broke off or could not be read',
  'rate-limited': 'the server limits our rate',
  'server-error': 'the server failed',
  'no-credit': 'the account has no credit left',
  unauthorized: 'the server refused the key',
  'model-unknown': 'the server knows no such model or path',
  'not-chat': 'what answers there is no streamed chat',
  'too-long': 'the request is longer than the model takes',
  refused: 'the server refused the request',
};

function describeCheck(code: ModelFailureReason, variables: FailureDetails['variables']): string {
  if (!variables) return '';
  if (code === 'unauthorized' && variables.key) return `: check ${variables.key}`;
  if (code === 'model-unknown' || code === 'not-chat') return `: check ${variables.model} and ${variables.url}`;
  return code === 'network' ? `: check ${variables.url} and the network` : '';
}

const TRANSIENT: ReadonlySet<ModelFailureReason> = new Set([
  'timeout',
  'network',
  'cut',
  'rate-limited',
  'server-error',
]);

/** True when retrying the same call may soon succeed. */
export function isTransient(reason: ModelFailureReason): boolean {
  return TRANSIENT.has(reason);
}

/** True unless the request itself was refused. */
export function mayFallBack(reason: ModelFailureReason): boolean {
  return reason !== 'refused';
}

/** True when the model answers nobody until an operator changes a setting or pays. */
export function needsOperator(reason: ModelFailureReason): boolean {
  return reason !== 'too-long' && !isTransient(reason);
}

/** Error codes for failures that retrying cannot fix. Each error's sentence says who can fix the failure. */
const CODES = {
  'too-long': 'MODEL_TOO_LONG',
  unauthorized: 'MODEL_KEY_REFUSED',
  'no-credit': 'MODEL_NO_CREDIT',
  'model-unknown': 'MODEL_UNKNOWN',
  'not-chat': 'MODEL_UNKNOWN',
  refused: 'MODEL_REQUEST_REFUSED',
} as const;
const NO_ANSWER: ReadonlySet<string> = new Set(['MODEL_UNAVAILABLE', ...Object.values(CODES)]);

/** Converts a failure to the error that ends a turn. */
export function toAppErrorOfModel(failure: ModelFailure): AppError {
  const codes: Readonly<Partial<Record<ModelFailureReason, (typeof CODES)[keyof typeof CODES]>>> = CODES;
  return new AppError(codes[failure.code] ?? 'MODEL_UNAVAILABLE', {}, failure);
}

/** True for errors of `Model.ask` that mean that no model answered. */
export function isModelUnavailable(thrown: unknown): boolean {
  return thrown instanceof AppError && NO_ANSWER.has((thrown as AppError).code); // checked by instanceof
}

/** Finds the ModelFailure in a thrown error; null when there is none. */
export function findModelFailure(thrown: unknown): ModelFailure | null {
  const inner = isModelUnavailable(thrown) ? (thrown as AppError).cause : thrown; // the error's code says so
  return inner instanceof ModelFailure ? inner : null;
}

/** Classifies an HTTP refusal by status, codes and message. Null for a status below 400. */
export function classifyStatus(status: number, codes: readonly string[] = [], words = ''): ModelFailureReason | null {
  if (status < 400) return null;
  // Messages of rate limits also count tokens and sound like "too long".
  const message = status === 429 ? (/request too large[^.]*/i.exec(words)?.[0] ?? '') : words;
  const known = classifyRefusal(codes, status < 500 ? message : '');
  if (known) return known;
  if (status === 402) return 'no-credit';
  if (status === 413) return 'too-long';
  if (status === 404) return 'model-unknown';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-error' : 'refused';
}

/** Classifies a refusal by its codes, and by its message for providers without codes; null when unknown. */
export function classifyRefusal(codes: readonly string[], words: string): ModelFailureReason | null {
  const has = (known: ReadonlySet<string>): boolean => codes.some((code) => known.has(code));
  if (has(NO_CREDIT) || NO_CREDIT_WORDS.test(words)) return 'no-credit';
  if (has(TOO_LONG) || TOO_LONG_WORDS.test(words)) return 'too-long';
  if (has(UNKNOWN_MODEL) || UNKNOWN_MODEL_WORDS.test(words)) return 'model-unknown';
  return has(BAD_KEY) ? 'unauthorized' : null;
}

const NO_CREDIT_WORDS = /credit balance is too low|insufficient (?:balance|credits?|funds)/i;
const TOO_LONG: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'model_context_window_exceeded',
]);
/** Matches messages of servers that mean that the request is too long. */
const TOO_LONG_WORDS = new RegExp(
  [
    'context[ _-]?(?:length|size|window|limit)',
    '(?:prompt|input|request|messages?)(?: \\w+){0,4} too (?:long|large)',
    'too many (?:input |total )?tokens',
    'token count[^.]{0,60} exceeds',
    '`inputs` tokens',
    'maximum (?:prompt|input) length',
    'maximum number of (?:input )?tokens',
  ].join('|'),
  'i',
);
const UNKNOWN_MODEL_WORDS =
  /\bmodel\b[^.]{0,120}\b(?:does not exist|not found|is not supported|is not available|not a valid)|not a valid model|unknown model|no models? loaded/i;

const NO_CREDIT: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'billing_error',
]);
const UNKNOWN_MODEL: ReadonlySet<string> = new Set([
  'model_not_found',
  'DeploymentNotFound',
  'invalid_model',
  'unknown_model',
]);
const BAD_KEY: ReadonlySet<string> = new Set(['invalid_api_key', 'API_KEY_INVALID', 'authentication_error']);

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const NETWORK_NAMES: ReadonlySet<string> = new Set(['APIConnectionError', 'FetchError']);
const TIMEOUT_NAMES: ReadonlySet<string> = new Set(['TimeoutError', 'APIConnectionTimeoutError']);
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const Thrown = z.object({
  name: z.string().catch(''),
  code: z.string().catch(''),
  status: z.number().nullable().catch(null),
  cause: z.unknown().optional(),
});

/**
 * Converts an error of a client library to MODEL_UNAVAILABLE or a related code with a ModelFailure as cause; for unparsable answers to
 * MODEL_GARBAGE. Other errors are returned unchanged.
 */
export function toModelError(thrown: unknown): unknown {
  if (thrown instanceof AppError || typeof thrown !== 'object' || thrown === null) return thrown;
  const { name, code, status } = read(thrown);
  if (name === 'OutputParserException') return new AppError('MODEL_GARBAGE', {}, thrown);
  const reason = (status === null ? null : classifyStatus(status, [code])) ?? classifyError(thrown);
  // The original error is dropped: it may quote the key or the conversation.
  return reason ? toAppErrorOfModel(new ModelFailure(reason, { status })) : thrown;
}

function read(thrown: object): { name: string; code: string; status: number | null; cause: unknown } {
  const own = { name: pick(thrown, 'name'), code: pick(thrown, 'code'), status: pick(thrown, 'status') };
  const parsed = Thrown.parse({ ...own, cause: pick(thrown, 'cause') });
  const type: unknown = pick(thrown, 'constructor');
  // Some libraries leave an error's `name` at "Error"; the class name says more.
  const named = ['', 'Error'].includes(parsed.name) && typeof type === 'function' ? type.name : parsed.name;
  return { name: named, code: parsed.code, status: parsed.status, cause: parsed.cause };
}

function pick(thrown: object, key: string): unknown {
  return key in thrown ? (thrown as Record<string, unknown>)[key] : undefined; // checked with `in`
}

/** Classifies an error or its causes, because fetch wraps socket errors in a TypeError. */
function classifyError(thrown: unknown, depth = 0): ModelFailureReason | null {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return null;
  const { name, code, cause } = read(thrown);
  if (TIMEOUT_NAMES.has(name) || TIMEOUT_CODES.has(code)) return 'timeout';
  if (NETWORK_NAMES.has(name) || NETWORK_CODES.has(code)) return classifyError(cause, depth + 1) ?? 'network';
  return classifyError(cause, depth + 1);
}
