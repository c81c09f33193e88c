import { SECOND_MS } from '@signalbox/contracts/time';

/** Calls are blocked for this time after a failure: many callers need not wait, and a recovery is noticed soon. */
const OPEN_MS = 30 * SECOND_MS;

/** A circuit breaker: blocks calls for a while after a failure. */
export interface Circuit {
  /** True when a call may be tried. After the pause one caller may try; other callers stay blocked until its result or the next pause. */
  mayTry(): boolean;
  succeeded(): void;
  failed(): void;
}

/*
 *   closed ──failed──▶ open for 30 s ──pause over──▶ one caller tries ──succeeded──▶ closed
 *                        ▲                                  └──failed, or no word for 30 s──┐
 *                        └──────────────────────────────────────────────────────────────────┘
 */
export function createCircuit(now: () => number = () => performance.now()): Circuit {
  /** The time when the pause ends; null while the circuit is closed. */
  let openUntilMs: number | null = null;
  const open = (): void => {
    openUntilMs = now() + OPEN_MS;
  };
  return {
    mayTry: () => {
      if (openUntilMs === null) return true;
      if (now() < openUntilMs) return false;
      open(); // blocks all other callers
      return true;
    },
    succeeded: () => {
      openUntilMs = null;
    },
    failed: open,
  };
}
