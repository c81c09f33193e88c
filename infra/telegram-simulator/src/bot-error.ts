/** What a refusal says beside its sentence. */
export interface RefusalDetails {
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly migrateToChatId?: number | undefined;
  /** Answered instead of JSON. */
  readonly html?: string | undefined;
}

/** A refusal in Telegram's own shape: `{ ok: false, error_code, description, parameters? }`. */
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

/** The most common refusal: 400 with "Bad Request: " before the reason. */
export function badRequest(reason: string): BotError {
  return new BotError(400, `Bad Request: ${reason}`);
}
