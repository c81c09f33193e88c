import { backoffMs, SECOND_MS, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { Sent } from '../../channel.ts';
import type { Pushed } from './push.ts';

/*
 * open ──(nothing gets through)──▶ closed for a while, longer each time ──▶ one tries ──(sent)──▶ open
 *
 * A gateway delivers to a bounded number of chats at once. A callback that hangs must not take all of them: few messages are under way
 * to it at the same time, and while it is closed the others are told to wait without a try.
 */

/** Messages that are under way to one callback. */
const AT_ONCE = 4;
/** A receiver that is well has taken one of them by then. */
const PATIENCE_MS = SECOND_MS;
const BACKOFF_BASE_MS = SECOND_MS;
const BACKOFF_MAX_MS = MINUTE_MS;
/** From this failure in a row on it is the callback that is away, and waiting for it counts as no try of a message. */
const AWAY_FROM = 3;
const LOOK_MS = 20;

/** How one callback is doing, as far as this process knows. `now` is a monotonic clock. */
export class CallbackGate {
  readonly #now: () => number;
  #failures = 0;
  #closedUntil = 0;
  #running = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Sends through the gate. What it answers tells the gateway when to try again. Never throws unless `push` does. */
  async through(push: () => Promise<Pushed>): Promise<Sent> {
    const waitMs = await this.#enter();
    if (waitMs > 0) return { kind: 'wait', retryAfterMs: waitMs };
    try {
      return this.#judge(await push());
    } finally {
      this.#running -= 1;
    }
  }

  /** How long to wait instead of trying; 0 to try now, and then a place is taken. */
  async #enter(): Promise<number> {
    const patientUntil = this.#now() + PATIENCE_MS;
    for (;;) {
      const leftMs = Math.ceil(this.#closedUntil - this.#now());
      if (leftMs > 0) return leftMs;
      if (this.#running < (this.#failures === 0 ? AT_ONCE : 1)) {
        // Before anybody else can look.
        this.#running += 1;
        return 0;
      }
      if (this.#failures > 0 || this.#now() >= patientUntil) return PATIENCE_MS;
      await sleep(LOOK_MS);
    }
  }

  #judge({ sent, isOutage }: Pushed): Sent {
    if (sent.kind === 'wait') this.#closedUntil = this.#now() + sent.retryAfterMs;
    if (!isOutage) {
      this.#failures = 0;
      return sent;
    }
    this.#failures += 1;
    const waitMs = backoffMs(this.#failures - 1, BACKOFF_BASE_MS, BACKOFF_MAX_MS);
    this.#closedUntil = this.#now() + waitMs;
    // Its receiver knows a message by its id, so that one which did arrive is no harm.
    return this.#failures < AWAY_FROM || sent.kind === 'unreachable' ? sent : { kind: 'wait', retryAfterMs: waitMs };
  }
}
