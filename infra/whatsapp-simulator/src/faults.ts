import { z } from 'zod';

const moment = z.enum(['before', 'after']);

/** A failure of the bot's next calls. */
export const Fault = z.strictObject({
  /** Kind of call: sends, read marks, uploads, media addresses or downloads; `*` for any. */
  what: z.enum(['send', 'read', 'upload', 'media', 'download', '*']),
  /** Restricts the fault to calls for this person. */
  to: z.string().optional(),
  /** Number of matching calls that pass first. */
  skip: z.int().nonnegative().default(0),
  times: z.int().positive().default(1),
  /** Meta's error code of the refusal; its HTTP status can be overridden. */
  code: z.int().optional(),
  status: z.int().min(400).max(599).optional(),
  /** Retry-After header of the refusal, in seconds. */
  retryAfter: z.number().nonnegative().optional(),
  /** HTML response of an intermediate server, instead of Meta's JSON. */
  html: z.string().optional(),
  /** Delay before everything else. */
  delayMs: z.number().nonnegative().max(600_000).optional(),
  /** Resets the connection before the call takes effect, or after it and before the response. */
  dropConnection: moment.optional(),
});
export type Fault = z.output<typeof Fault>;

/** Queued faults, oldest first. */
export class Faults {
  readonly #waiting: { readonly fault: Fault; skip: number; left: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, skip: fault.skip, left: fault.times });
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** Removes and returns one use of the oldest fault that matches the call. */
  take(what: Fault['what'], to: string | null): Fault | null {
    const found = this.#waiting.find(
      ({ fault }) => (fault.what === '*' || fault.what === what) && (fault.to === undefined || fault.to === to),
    );
    if (!found) return null;
    if (found.skip > 0) {
      found.skip -= 1;
      return null;
    }
    found.left -= 1;
    if (found.left === 0) this.#waiting.splice(this.#waiting.indexOf(found), 1);
    return found.fault;
  }
}
