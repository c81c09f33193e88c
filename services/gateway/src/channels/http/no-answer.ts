/** Failures of these kinds happen before anything was written to the connection. */
const NOT_WRITTEN = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a request without an answer means: nothing was sent, or nobody knows. */
export interface NoAnswer {
  readonly kind: 'unreachable' | 'ambiguous';
  readonly detail: string;
}

/** Reads why `fetch` was rejected. Never throws. */
export function readNoAnswer(error: unknown): NoAnswer {
  const code = readCode(error);
  if (code !== null && NOT_WRITTEN.has(code)) return { kind: 'unreachable', detail: code };
  return { kind: 'ambiguous', detail: code ?? 'no answer' };
}

/** The system's or fetch's code of a failure, wherever it is in the chain of causes. */
function readCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}
