/** An answer with Telegram's `description` beside the result, as the methods of the webhook give it. */
export class Described {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

/** The body of an answer to a call that succeeded. */
export function toAnswerBody(result: unknown): object {
  if (!(result instanceof Described)) return { ok: true, result };
  return { ok: true, result: result.result, description: result.description };
}
