/** A refusal in Telegram's own shape: `{ ok: false, error_code, description, parameters? }`. */
export class BotError extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.name = 'BotError';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The most common refusal: 400 with "Bad Request: " before the reason. */
export function badRequest(reason: string): BotError {
  return new BotError(400, `Bad Request: ${reason}`);
}
