/** Failures before anything was sent: no address, no listener, no route, or an untrusted certificate. */
const NOT_SENT_CODE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_WRONG_VERSION_NUMBER|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** What a failed request means: the other side received nothing, or that is unknown. */
export interface RequestFailure {
  readonly kind: 'unreachable' | 'ambiguous';
  readonly detail: string;
}

/** Classifies a rejection of `fetch` or undici's `request`. Never throws. */
export function classifyRequestFailure(error: unknown): RequestFailure {
  const code = findErrorCode(error);
  if (code !== null && NOT_SENT_CODE.test(code)) return { kind: 'unreachable', detail: code };
  return { kind: 'ambiguous', detail: code ?? 'no answer' };
}

function findErrorCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return null;
}
