import type { Webhook } from '../store/event.ts';

export interface WebhookFailure {
  /** Text for getWebhookInfo. */
  readonly message: string;
  /** Retry-After of the webhook's response, in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** Telegram ignores longer delays. */
const MAX_RETRY_AFTER_SECONDS = 3_600;

/** Posts one update. Returns null when the webhook accepts it (2xx), else the failure. Never rejects. */
export async function postUpdate(options: {
  readonly webhook: Webhook;
  readonly update: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<WebhookFailure | null> {
  const { webhook, update, timeoutMs, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(webhook.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...(webhook.secretToken === '' ? {} : { 'x-telegram-bot-api-secret-token': webhook.secretToken }),
      },
      body: JSON.stringify(update),
      signal: AbortSignal.any([signal, timeout]),
    });
    await response.arrayBuffer();
    if (response.ok) return null;
    return {
      message: `Wrong response from the webhook: ${response.status} ${response.statusText}`,
      retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
    };
  } catch (error) {
    return { message: timeout.aborted ? 'Read timeout expired' : describeFailure(error), retryAfterMs: null };
  }
}

function readRetryAfter(header: string | null): number | null {
  const seconds = Number(header ?? 0);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1_000 : null;
}

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  ETIMEDOUT: 'Connection timed out',
};

/** fetch stores the connection error in `cause`. */
function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  return MESSAGES[code] ?? 'Connection closed';
}
