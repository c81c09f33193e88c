import { z } from 'zod';
import { BotError } from './bot-error.ts';

/** What goes wrong with the next calls of a method, `*` for any but getUpdates. */
export const Fault = z.strictObject({
  method: z.string().min(1),
  /** Answered instead of running the method. */
  error: z
    .strictObject({
      code: z.int().min(400).max(599),
      description: z.string().optional(),
      /** Seconds, as Telegram counts them. */
      retryAfter: z.int().nonnegative().optional(),
    })
    .optional(),
  /** Waits before anything else happens. */
  delayMs: z.number().nonnegative().max(600_000).optional(),
  /** Hangs up: before the method runs, or after it took effect and before the answer. */
  dropConnection: z.enum(['before', 'after']).optional(),
  times: z.int().positive().default(1),
});
export type Fault = z.output<typeof Fault>;

export interface Faults {
  readonly add: (fault: Fault) => void;
  /** The oldest fault waiting for this method; it is used up by one. */
  readonly take: (method: string) => Fault | null;
  readonly clear: () => void;
  readonly count: () => number;
}

/** Faults in the order they were queued. */
export function createFaults(): Faults {
  const waiting: { fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times }),
    take: (method) => {
      const index = waiting.findIndex(({ fault }) => concerns(fault.method.toLowerCase(), method.toLowerCase()));
      const found = waiting[index];
      if (!found) return null;
      found.left -= 1;
      if (found.left === 0) waiting.splice(index, 1);
      return found.fault;
    },
    clear: () => void waiting.splice(0),
    count: () => waiting.reduce((sum, { left }) => sum + left, 0),
  };
}

/** `*` leaves polling alone: a test which breaks every call rarely means the one that is always waiting. */
function concerns(wanted: string, method: string): boolean {
  return wanted === method || (wanted === '*' && method !== 'getupdates');
}

/** What an injected error answers: Telegram's own sentence where a test gives none. */
export function createInjectedError({ code, description, retryAfter }: NonNullable<Fault['error']>): BotError {
  const wait = retryAfter ?? (code === 429 ? 1 : undefined);
  const standard = code === 429 ? `Too Many Requests: retry after ${wait}` : STANDARD[code];
  return new BotError(code, description ?? standard ?? 'Internal Server Error', wait);
}

const STANDARD: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
