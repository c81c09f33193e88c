import { computeBackoffMs, SECOND_MS, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { SendResult } from '../../channel.ts';
import type { PushResult } from './push.ts';

/*
 * open ──(outage)──▶ closed, longer each time ──▶ one message tries ──(sent)──▶ open
 *
 * A gateway serves a bounded number of chats at once. A hanging callback must not occupy them all: it gets few messages
 * at a time, and while its gate is closed further messages wait.
 */

/** The most concurrent messages per callback. */
const MAX_RUNNING = 4;
/** How long a message waits for a free slot. */
const MAX_SLOT_WAIT_MS = SECOND_MS;
const BACKOFF_BASE_MS = SECOND_MS;
const BACKOFF_MAX_MS = MINUTE_MS;
/** After this many failures in a row the callback counts as away, and waiting is no try of a message. */
const OUTAGE_FAILURES = 3;
const POLL_MS = 20;

/** The gate before one callback, as known to this process. `now` is a monotonic clock. */
export class CallbackCircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #closedUntil = 0;
  #running = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Sends through the gate; the result says when to retry. Throws only if `push` does. */
  async send(push: () => Promise<PushResult>): Promise<SendResult> {
    const waitMs = await this.#enter();
    if (waitMs > 0) return { kind: 'wait', retryAfterMs: waitMs };
    try {
      return this.#judge(await push());
    } finally {
      this.#running -= 1;
    }
  }

  /** Takes a slot and returns 0; otherwise returns how long to wait before the next try. */
  async #enter(): Promise<number> {
    const patientUntil = this.#now() + MAX_SLOT_WAIT_MS;
    for (;;) {
      const leftMs = Math.ceil(this.#closedUntil - this.#now());
      if (leftMs > 0) return leftMs;
      if (this.#running < (this.#failures === 0 ? MAX_RUNNING : 1)) {
        // Counted at once, before another message can take the slot.
        this.#running += 1;
        return 0;
      }
      if (this.#failures > 0 || this.#now() >= patientUntil) return MAX_SLOT_WAIT_MS;
      await sleep(POLL_MS);
    }
  }

  #judge({ sent, isOutage }: PushResult): SendResult {
    if (sent.kind === 'wait') this.#closedUntil = this.#now() + sent.retryAfterMs;
    if (!isOutage) {
      this.#failures = 0;
      return sent;
    }
    this.#failures += 1;
    const waitMs = computeBackoffMs(this.#failures - 1, BACKOFF_BASE_MS, BACKOFF_MAX_MS);
    this.#closedUntil = this.#now() + waitMs;
    // Receivers recognize a message by its id, so a repeated message does no harm.
    return this.#failures < OUTAGE_FAILURES || sent.kind === 'unreachable'
      ? sent
      : { kind: 'wait', retryAfterMs: waitMs };
  }
}
