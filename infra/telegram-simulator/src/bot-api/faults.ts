import { z } from 'zod';
import { BotError } from '../bot-error.ts';
import { type Refusal, REFUSALS } from './refusals.ts';
import { resolveChatName } from '../store/people.ts';

// The keys of a constant object are its names.
const RefusalName = z.enum(Object.keys(REFUSALS) as [keyof typeof REFUSALS]);

/** An error by its name in `refusals.ts`, or one of a test's own. */
const InjectedError = z.union([
  RefusalName,
  z.strictObject({
    /** Takes the code and the words of a named one. */
    name: RefusalName.optional(),
    code: z.int().min(400).max(599).optional(),
    description: z.string().optional(),
    /** Seconds, as Telegram counts them. */
    retryAfter: z.int().nonnegative().optional(),
    /** Where the group went, with `migrated`. */
    migrateToChatId: z.int().optional(),
  }),
]);
const moment = z.enum(['before', 'after']);

/** What goes wrong with the next calls of a method, `*` for any but getUpdates. */
export const Fault = z.strictObject({
  method: z.string().min(1),
  /** Only calls for this chat. */
  chat: z.union([z.int(), z.literal('ops')]).optional(),
  /** Lets so many of these calls pass first. */
  skip: z.int().nonnegative().default(0),
  /** Answered instead of running the method. */
  error: InjectedError.optional(),
  /** Waits before anything else happens. */
  delayMs: z.number().nonnegative().max(600_000).optional(),
  /** Resets the connection: before the method runs, or after it took effect and before the answer. */
  dropConnection: moment.optional(),
  /** Never answers, before the method runs or after it took effect, until the bot hangs up. */
  hang: moment.optional(),
  times: z.int().positive().default(1),
});
export type Fault = z.output<typeof Fault>;

/** Faults in the order they were queued. */
export class Faults {
  readonly #waiting: { readonly fault: Fault; skip: number; left: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, skip: fault.skip, left: fault.times });
  }

  /** The oldest fault waiting for this call; it is used up by one. */
  take(method: string, chatId: number | string | null): Fault | null {
    const found = this.#waiting.find(({ fault }) => concerns(fault, method.toLowerCase(), chatId));
    if (!found) return null;
    if (found.skip > 0) {
      found.skip -= 1;
      return null;
    }
    found.left -= 1;
    if (found.left === 0) this.#waiting.splice(this.#waiting.indexOf(found), 1);
    return found.fault;
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** What still waits, with how often. */
  list(): readonly (Fault & { readonly left: number })[] {
    return this.#waiting.map(({ fault, left }) => ({ ...fault, left }));
  }
}

function concerns({ method: wanted, chat }: Fault, method: string, chatId: number | string | null): boolean {
  if (chat !== undefined && resolveChatName(chat) !== chatId) return false;
  // `*` leaves polling alone: a test which breaks every call rarely means the one that is always waiting.
  return wanted === '*' ? method !== 'getupdates' : wanted.toLowerCase() === method;
}

/** What an injected error answers: Telegram's own sentence where a test gives none. */
export function createInjectedError(error: NonNullable<Fault['error']>): BotError {
  const given = typeof error === 'string' ? { name: error } : error;
  const named: Refusal | undefined = given.name === undefined ? undefined : REFUSALS[given.name];
  const code = given.code ?? named?.code ?? 500;
  const retryAfter = given.retryAfter ?? (code === 429 ? 1 : undefined);
  const standard =
    code === 429 ? `Too Many Requests: retry after ${retryAfter}` : (named?.description ?? STANDARD[code]);
  return new BotError(code, given.description ?? standard ?? 'Internal Server Error', {
    retryAfter,
    migrateToChatId: given.migrateToChatId,
    html: given.description === undefined ? named?.html : undefined,
  });
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
