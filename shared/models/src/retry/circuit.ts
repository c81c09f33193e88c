import { SECOND_MS } from '@signalbox/contracts/time';

/** Long enough that a crowd does not wait for a server that is down, short enough that its return is noticed. */
const OPEN_MS = 30 * SECOND_MS;

/** Remembers for a short time that something is down. */
export interface Circuit {
  /**
   * Whether to try it now. After the pause one caller is let through to see whether it is back; the others are still told no,
   * until that one has an answer or the next pause is over.
   */
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
  /** Null while it is closed. */
  let openUntilMs: number | null = null;
  const open = (): void => {
    openUntilMs = now() + OPEN_MS;
  };
  return {
    mayTry: () => {
      if (openUntilMs === null) return true;
      if (now() < openUntilMs) return false;
      open(); // for everybody but this caller
      return true;
    },
    succeeded: () => {
      openUntilMs = null;
    },
    failed: open,
  };
}
