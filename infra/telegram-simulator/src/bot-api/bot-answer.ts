/** The result of a call together with Telegram's `description` of it, as setWebhook and deleteWebhook answer. */
export class DescribedResult {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

/** The body of an answer to a call that succeeded. */
export function toAnswerBody(result: unknown): object {
  if (!(result instanceof DescribedResult)) return { ok: true, result };
  return { ok: true, result: result.result, description: result.description };
}
