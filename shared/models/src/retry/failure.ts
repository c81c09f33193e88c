import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';

/** Why a model gave no answer. The log shows it as the `code` of the error's cause. */
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

/** What is known of a failure beside its reason. */
export interface FailureFacts {
  readonly model?: string;
  /** Names of the variables that say how the model is reached. */
  readonly variables?: { readonly key: string | null; readonly url: string; readonly model: string };
  readonly status?: number | null;
  /** What the server calls its refusal: codes and names of parameters. */
  readonly codes?: readonly string[];
  /** The class of what the client threw over an answer that it could not read. */
  readonly kind?: string;
  /** The server asked to wait this long. */
  readonly retryAfterMs?: number | null;
  /** The server's own words, without keys, for `doctor` only: they may quote the conversation, so no log shows them. */
  readonly detail?: string | null;
}

/** The cause inside MODEL_UNAVAILABLE and its kin: what an operator reads in the log. Its message never holds a key or message text. */
export class ModelFailure extends Error {
  readonly code: ModelFailureReason;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly detail: string | null;

  constructor(code: ModelFailureReason, facts: FailureFacts = {}) {
    const { model = 'the model', status = null, retryAfterMs = null, detail = null } = facts;
    const said = [
      ...(status === null ? [] : [`HTTP ${status}`]),
      ...(code === 'cut' && status === null && facts.kind ? [facts.kind] : []),
      ...(facts.codes ?? []).filter((one) => PLAIN_CODE.test(one)),
    ];
    const beside = said.length === 0 ? '' : ` (${said.join(', ')})`;
    super(`${model}: ${HINTS[code]}${checkOf(code, facts.variables)}${beside}`);
    this.name = 'ModelFailure';
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
  }
}

/** A code is a word. What is longer may quote something. */
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

/** Which variable an operator has to look at. */
function checkOf(code: ModelFailureReason, variables: FailureFacts['variables']): string {
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

/** Whether a retry of the same call may succeed a moment later. */
export function isTransient(reason: ModelFailureReason): boolean {
  return TRANSIENT.has(reason);
}

/** Whether another model may do better: all but requests that were refused for what they ask. */
export function isWorthAnother(reason: ModelFailureReason): boolean {
  return reason !== 'refused';
}

/** What people are told of a failure: what repeating cannot mend says who can. */
const CODES = {
  'too-long': 'MODEL_TOO_LONG',
  unauthorized: 'MODEL_KEY_REFUSED',
  'no-credit': 'MODEL_NO_CREDIT',
  'model-unknown': 'MODEL_UNKNOWN',
  'not-chat': 'MODEL_UNKNOWN',
  refused: 'MODEL_REQUEST_REFUSED',
} as const;
const NO_ANSWER: ReadonlySet<string> = new Set(['MODEL_UNAVAILABLE', ...Object.values(CODES)]);

/** A failure as the error that ends a turn. */
export function asAppError(failure: ModelFailure): AppError {
  const codes: Readonly<Partial<Record<ModelFailureReason, (typeof CODES)[keyof typeof CODES]>>> = CODES;
  return new AppError(codes[failure.code] ?? 'MODEL_UNAVAILABLE', {}, failure);
}

/** Whether this is what `Model.ask` throws where no model answers. */
export function isNoAnswer(thrown: unknown): boolean {
  return thrown instanceof AppError && NO_ANSWER.has((thrown as AppError).code); // by its class
}

/** The ModelFailure inside what a call threw, or null. */
export function failureOf(thrown: unknown): ModelFailure | null {
  const inner = isNoAnswer(thrown) ? (thrown as AppError).cause : thrown; // by its code
  return inner instanceof ModelFailure ? inner : null;
}

/** What a status, and the codes and words in the body of a refusal, mean. Null below 400. */
export function reasonOfStatus(status: number, codes: readonly string[] = [], words = ''): ModelFailureReason | null {
  if (status < 400) return null;
  // A limit of a rate counts tokens too, and its words sound alike.
  const told = status === 429 ? (/request too large[^.]*/i.exec(words)?.[0] ?? '') : words;
  const known = reasonOfWords(codes, status < 500 ? told : '');
  if (known) return known;
  if (status === 402) return 'no-credit';
  if (status === 413) return 'too-long';
  if (status === 404) return 'model-unknown';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-error' : 'refused';
}

/** What the codes of a refusal mean, and its words where the provider has no code for it; null for nothing that is known. */
export function reasonOfWords(codes: readonly string[], words: string): ModelFailureReason | null {
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
/** Of Anthropic, Google, Mistral, vLLM, TGI, llama.cpp, LM Studio, Ollama, OpenRouter and Bedrock; OpenAI's is that of a limit for one request. */
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

/** What libraries put on what they throw. */
const Thrown = z.object({
  name: z.string().catch(''),
  code: z.string().catch(''),
  status: z.number().nullable().catch(null),
  cause: z.unknown().optional(),
});

/**
 * Names what a model in this process threw: MODEL_UNAVAILABLE for timeouts and network and its kin for refusals by status, with a
 * ModelFailure as its cause; MODEL_GARBAGE for answers that do not parse. Anything else (an AppError, an abort, a mistake of ours) comes back
 * unchanged, for `toAppError` to wrap.
 */
export function toModelError(thrown: unknown): unknown {
  if (thrown instanceof AppError || typeof thrown !== 'object' || thrown === null) return thrown;
  const { name, code, status } = read(thrown);
  if (name === 'OutputParserException') return new AppError('MODEL_GARBAGE', {}, thrown);
  const reason = (status === null ? null : reasonOfStatus(status, [code])) ?? reasonOfError(thrown);
  // The thrown error is not kept: it may quote the key, or the conversation.
  return reason ? asAppError(new ModelFailure(reason, { status })) : thrown;
}

function read(thrown: object): { name: string; code: string; status: number | null; cause: unknown } {
  const own = { name: pick(thrown, 'name'), code: pick(thrown, 'code'), status: pick(thrown, 'status') };
  const parsed = Thrown.parse({ ...own, cause: pick(thrown, 'cause') });
  const type: unknown = pick(thrown, 'constructor');
  // Some libraries leave `name` at "Error"; their class still tells.
  const named = ['', 'Error'].includes(parsed.name) && typeof type === 'function' ? type.name : parsed.name;
  return { name: named, code: parsed.code, status: parsed.status, cause: parsed.cause };
}

function pick(thrown: object, key: string): unknown {
  return key in thrown ? (thrown as Record<string, unknown>)[key] : undefined; // `in` has just shown that it is there
}

/** Follows causes: fetch hides the socket's error inside a TypeError. */
function reasonOfError(thrown: unknown, depth = 0): ModelFailureReason | null {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return null;
  const { name, code, cause } = read(thrown);
  if (TIMEOUT_NAMES.has(name) || TIMEOUT_CODES.has(code)) return 'timeout';
  if (NETWORK_NAMES.has(name) || NETWORK_CODES.has(code)) return reasonOfError(cause, depth + 1) ?? 'network';
  return reasonOfError(cause, depth + 1);
}
