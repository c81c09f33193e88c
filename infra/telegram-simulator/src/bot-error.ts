/** Optional details of an error response. */
export interface RefusalDetails {
  /** In seconds. */
  readonly retryAfter?: number | undefined;
  readonly migrateToChatId?: number | undefined;
  /** Raw response instead of JSON. */
  readonly html?: string | undefined;
}

/** An error in Telegram's shape: `{ ok: false, error_code, description, parameters? }`. */
export class BotError extends Error {
  readonly code: number;
  readonly details: RefusalDetails;

  constructor(code: number, description: string, details: RefusalDetails = {}) {
    super(description);
    this.name = 'BotError';
    this.code = code;
    this.details = details;
  }
}

/** Creates a BotError 400 with the prefix "Bad Request: ". */
export function createBadRequest(reason: string): BotError {
  return new BotError(400, `Bad Request: ${reason}`);
}
