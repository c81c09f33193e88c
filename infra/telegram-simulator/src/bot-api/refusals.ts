/** A Telegram error that tests can inject by name. */
export interface Refusal {
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
export const REFUSALS = {
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
