/** The result of a call that waits for people. The model reads it. */
export interface WaitingResult {
  readonly status: 'waits';
  /** Who decides: the person alone, or how many of whom. */
  readonly for: string;
  /** People who may decide but see no card, and what they have to do; missing when there are none. */
  readonly not_reached?: string;
  /** Approvals up to now. */
  readonly so_far: number;
  /** The sentence of the rule that asks. */
  readonly why: string;
  /** The time at which the request expires, as ISO 8601. */
  readonly until: string;
  readonly request: string;
  readonly changed: false;
  /** What the model has to do now. */
  readonly next: string;
}

/** True while a call waits for a confirmation or an approval. */
export function isWaiting({ ok, result }: { readonly ok: boolean; readonly result: unknown }): boolean {
  return ok && typeof result === 'object' && result !== null && 'status' in result && result.status === 'waits';
}
