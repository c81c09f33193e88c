import { z } from 'zod';
import { AppError } from '../errors.ts';

/** Why a model gave no answer. The log shows it as the `code` of the error's cause. */
export type ModelFailureReason =
  'timeout' | 'network' | 'rate-limited' | 'server-error' | 'unauthorized' | 'model-unknown' | 'refused';

/** The cause inside MODEL_UNAVAILABLE: what an operator reads in the log. Never holds a key or message text. */
export class ModelFailure extends Error {
  readonly code: ModelFailureReason;
  readonly status: number | null;

  constructor(code: ModelFailureReason, status: number | null, cause?: unknown) {
    super(`${HINTS[code]}${status === null ? '' : ` (HTTP ${status})`}`, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailure';
    this.code = code;
    this.status = status;
  }
}

const HINTS: Readonly<Record<ModelFailureReason, string>> = {
  timeout: 'the model did not answer in time',
  network: 'the model server could not be reached: check OPENAI_BASE_URL and the network',
  'rate-limited': 'the model server limits our rate, or the account has no credit left',
  'server-error': 'the model server failed',
  unauthorized: 'the model server refused the key: check OPENAI_API_KEY',
  'model-unknown': 'the model server knows no such model or path: check OPENAI_MODEL and OPENAI_BASE_URL',
  refused: 'the model server refused the request',
};

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
const GARBAGE_NAMES: ReadonlySet<string> = new Set(['OutputParserException']);

/** What libraries put on what they throw. */
const Thrown = z.object({
  name: z.string().catch(''),
  code: z.string().catch(''),
  status: z.number().nullable().catch(null),
  cause: z.unknown().optional(),
});

/**
 * Names what a model call threw: MODEL_UNAVAILABLE for timeouts, network, 401, 403, 404, 429, 4xx and 5xx, with a ModelFailure
 * as its cause; MODEL_GARBAGE for answers that do not parse. Anything else (an AppError, an abort, a mistake of ours)
 * comes back unchanged, for `toAppError` to wrap.
 */
export function toModelError(thrown: unknown): unknown {
  if (thrown instanceof AppError || typeof thrown !== 'object' || thrown === null) return thrown;
  const { name, status } = read(thrown);
  if (GARBAGE_NAMES.has(name)) return new AppError('MODEL_GARBAGE', {}, thrown);
  const reason = (status === null ? null : reasonOfStatus(status)) ?? reasonOfError(thrown);
  if (!reason) return thrown;
  // A refused key is quoted in the server's own words: that error is not kept.
  const cause = reason === 'unauthorized' ? undefined : thrown;
  return new AppError('MODEL_UNAVAILABLE', {}, new ModelFailure(reason, status, cause));
}

/**
 * Whether the same call may go well a moment later: timeouts, network, 5xx, and a 429 that is about rate and not about credit.
 * Aborts and refusals are not.
 */
export function isTransient(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { name, code, status } = read(thrown);
  if (name === 'AbortError' || code === 'insufficient_quota') return false;
  const reason = (status === null ? null : reasonOfStatus(status)) ?? reasonOfError(thrown);
  return reason !== null && TRANSIENT.has(reason);
}

const TRANSIENT: ReadonlySet<ModelFailureReason> = new Set(['timeout', 'network', 'rate-limited', 'server-error']);

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

function reasonOfStatus(status: number): ModelFailureReason | null {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'model-unknown';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'server-error';
  return status >= 400 ? 'refused' : null;
}

/** Follows causes: fetch hides the socket's error inside a TypeError. */
function reasonOfError(thrown: unknown, depth = 0): ModelFailureReason | null {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return null;
  const { name, code, cause } = read(thrown);
  if (TIMEOUT_NAMES.has(name) || TIMEOUT_CODES.has(code)) return 'timeout';
  if (NETWORK_NAMES.has(name) || NETWORK_CODES.has(code)) return reasonOfError(cause, depth + 1) ?? 'network';
  return reasonOfError(cause, depth + 1);
}
