import { z } from 'zod';

const moment = z.enum(['before', 'after']);

/** What goes wrong with the next calls of the bot. */
export const Fault = z.strictObject({
  /** Which calls: sends, marks of what was read, uploads, addresses of files, downloads; `*` for any. */
  what: z.enum(['send', 'read', 'upload', 'media', 'download', '*']),
  /** Only calls for this person. */
  to: z.string().optional(),
  /** Lets so many of these calls pass first. */
  skip: z.int().nonnegative().default(0),
  times: z.int().positive().default(1),
  /** Refused with this code of Meta's, and with another HTTP status if one is given. */
  code: z.int().optional(),
  status: z.int().min(400).max(599).optional(),
  /** Seconds, in the header Retry-After of a refusal. */
  retryAfter: z.number().nonnegative().optional(),
  /** Answered instead: a page of something on the way that is not Meta. */
  html: z.string().optional(),
  /** Waits before anything else happens. */
  delayMs: z.number().nonnegative().max(600_000).optional(),
  /** Resets the connection before the call takes effect, or after it and before the answer. */
  dropConnection: moment.optional(),
});
export type Fault = z.output<typeof Fault>;

/** Faults in the order in which they were queued. */
export class Faults {
  readonly #waiting: { readonly fault: Fault; skip: number; left: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, skip: fault.skip, left: fault.times });
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** The oldest fault that waits for this call; it is used up by one. */
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
