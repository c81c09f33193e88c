/** One line of `doctor`. `remedy` says what to do, and is null when nothing is. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly say: string;
  readonly remedy: string | null;
}

export function ok(what: string, say: string): Finding {
  return { what, state: 'ok', say, remedy: null };
}

export function warn(what: string, say: string, remedy: string): Finding {
  return { what, state: 'warn', say, remedy };
}

export function fail(what: string, say: string, remedy: string): Finding {
  return { what, state: 'fail', say, remedy };
}

/** Why something could not be reached, in a few words and without addresses that may hold secrets. */
export function reasonOf(error: unknown): string {
  let reason = String(error);
  // The innermost cause says most; fetch itself only says that it failed.
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return 'no answer in time';
    reason = at.message;
  }
  return reason;
}
