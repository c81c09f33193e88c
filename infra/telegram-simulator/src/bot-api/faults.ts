import { z } from 'zod';
import { BotError } from '../bot-error.ts';
import { resolveChatName } from '../store/people.ts';

/** A Telegram error that tests can inject by name. */
interface Refusal {
  readonly code: number;
  readonly description: string;
  /** Raw response of Telegram's front end, instead of JSON. */
  readonly html?: string;
}

const bad = (reason: string): Refusal => ({ code: 400, description: `Bad Request: ${reason}` });
const forbidden = (reason: string): Refusal => ({ code: 403, description: `Forbidden: ${reason}` });
const down = (code: number, reason: string): Refusal => ({
  code,
  description: reason,
  html: `<html>\r\n<head><title>${code} ${reason}</title></head>\r\n<body>\r\n<center><h1>${code} ${reason}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
});

/** Telegram errors that bots meet, with their original texts. */
const REFUSALS = {
  unauthorized: { code: 401, description: 'Unauthorized' },
  blocked: forbidden('bot was blocked by the user'),
  deactivated: forbidden('user is deactivated'),
  notStarted: forbidden("bot can't initiate conversation with a user"),
  kicked: forbidden('bot was kicked from the supergroup chat'),
  migrated: bad('group chat was upgraded to a supergroup chat'),
  tooLong: bad('message is too long'),
  tooLarge: { code: 413, description: 'Request Entity Too Large' },
  tooManyRequests: { code: 429, description: 'Too Many Requests: retry after 1' },
  restart: { code: 500, description: 'Internal Server Error: restart' },
  badGateway: down(502, 'Bad Gateway'),
  unavailable: down(503, 'Service Temporarily Unavailable'),
} as const satisfies Readonly<Record<string, Refusal>>;

// Object.keys returns exactly the keys of a constant object.
const RefusalName = z.enum(Object.keys(REFUSALS) as [keyof typeof REFUSALS]);

/** An error named in `REFUSALS`, or a custom one. */
const InjectedError = z.union([
  RefusalName,
  z.strictObject({
    /** Uses the code and text of a named refusal. */
    name: RefusalName.optional(),
    code: z.int().min(400).max(599).optional(),
    description: z.string().optional(),
    /** In seconds, as in Telegram. */
    retryAfter: z.int().nonnegative().optional(),
    /** New chat id of the group, with `migrated`. */
    migrateToChatId: z.int().optional(),
  }),
]);
const moment = z.enum(['before', 'after']);

/** A failure of the next calls of a method; `*` means all methods except getUpdates. */
export const Fault = z.strictObject({
  method: z.string().min(1),
  /** Restricts the fault to calls for this chat. */
  chat: z.union([z.int(), z.literal('ops')]).optional(),
  /** Number of matching calls that pass first. */
  skip: z.int().nonnegative().default(0),
  /** Error response instead of running the method. */
  error: InjectedError.optional(),
  /** Delay before everything else. */
  delayMs: z.number().nonnegative().max(600_000).optional(),
  /** Resets the connection before the method runs, or after its effect and before the response. */
  dropConnection: moment.optional(),
  /** Never responds, before the method runs or after its effect, until the bot disconnects. */
  hang: moment.optional(),
  times: z.int().positive().default(1),
});
export type Fault = z.output<typeof Fault>;

/** Queued faults, oldest first. */
export class Faults {
  readonly #waiting: { readonly fault: Fault; skip: number; left: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, skip: fault.skip, left: fault.times });
  }

  /** Removes and returns one use of the oldest fault that matches the call. */
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

  /** Lists pending faults with their remaining uses. */
  list(): readonly (Fault & { readonly left: number })[] {
    return this.#waiting.map(({ fault, left }) => ({ ...fault, left }));
  }
}

function concerns({ method: wanted, chat }: Fault, method: string, chatId: number | string | null): boolean {
  if (chat !== undefined && resolveChatName(chat) !== chatId) return false;
  // `*` excludes getUpdates, which is always running.
  return wanted === '*' ? method !== 'getupdates' : wanted.toLowerCase() === method;
}

/** Creates an injected error, with Telegram's own text as default. */
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
