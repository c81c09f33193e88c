/**
 * Failures of these kinds happen before anything was written to the connection: no address, no listener, no route, or a certificate
 * that we do not trust.
 */
const NOT_WRITTEN =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_WRONG_VERSION_NUMBER|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** What a request without an answer means: nothing was sent, or nobody knows. */
export interface NoAnswer {
  readonly kind: 'unreachable' | 'ambiguous';
  readonly detail: string;
}

/** Reads why `fetch`, or undici's `request`, was rejected. Never throws. */
export function readNoAnswer(error: unknown): NoAnswer {
  const code = readCode(error);
  if (code !== null && NOT_WRITTEN.test(code)) return { kind: 'unreachable', detail: code };
  return { kind: 'ambiguous', detail: code ?? 'no answer' };
}

/** The system's or undici's code of a failure, wherever it is in the chain of causes. */
function readCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}
