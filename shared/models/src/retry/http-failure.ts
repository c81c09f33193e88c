import type { ModelFailureReason } from './failure.ts';

/** Returns the failure of a try as a value, with the HTTP status when the server answered. */
export function toHttpFailure({ reason, facts }: { readonly reason: ModelFailureReason; readonly facts: object }): {
  readonly kind: 'failed';
  readonly reason: ModelFailureReason;
  readonly status: number | null;
} {
  const status = 'status' in facts && typeof facts.status === 'number' ? facts.status : null;
  return { kind: 'failed', reason, status };
}
