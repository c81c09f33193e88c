/** A line of `doctor`'s report. `remedy` is null when nothing has to be done. */
export interface CheckResult {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly say: string;
  readonly remedy: string | null;
}

export function createOk(what: string, say: string): CheckResult {
  return { what, state: 'ok', say, remedy: null };
}

export function createWarning(what: string, say: string, remedy: string): CheckResult {
  return { what, state: 'warn', say, remedy };
}

export function createFailure(what: string, say: string, remedy: string): CheckResult {
  return { what, state: 'fail', say, remedy };
}

/** Returns the reason of a connection error in a few words, without addresses, which may contain secrets. */
export function getReason(error: unknown): string {
  let reason = String(error);
  // The innermost cause is the most specific; fetch itself only reports a failure.
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return 'no answer in time';
    reason = at.message;
  }
  return reason;
}
