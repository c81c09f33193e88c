import { z } from 'zod';
import type { SendResult } from '../channel.ts';
import type { GraphApiAnswer } from './client.ts';

/** The result of a call: a SendResult, a closed 24-hour window, or a refused account. */
export type CallResult =
  SendResult | { readonly kind: 'window-closed' } | { readonly kind: 'account-refused'; readonly detail: string };

const Accepted = z.object({ messages: z.array(z.object({ id: z.string().min(1).max(160) })).min(1) });
const Refused = z.object({
  error: z.object({
    code: z.int(),
    message: z.string().default(''),
    error_data: z
      .object({ details: z.string().default('') })
      .optional()
      .catch(undefined),
  }),
});

/* Meta's codes (developers.facebook.com, "WhatsApp error codes"), which count before the HTTP status. */
const WINDOW_CLOSED = new Set([131047, 470]);
/** Wait times by code. A chat allows a message every six seconds, a number 80 per second. */
const WAITS_MS: Readonly<Record<number, number>> = {
  4: 30_000, // app rate limit
  80007: 30_000, // account rate limit
  130429: 5_000, // number rate limit
  131048: 60_000, // messages were reported as spam too often
  131056: 7_000, // rate limit for this person
  131057: 60_000, // maintenance
};
/** Codes about the token, account or billing: no message is sent to anybody until a person fixes it. */
const ACCOUNT = new Set([0, 10, 190, 368, 131005, 131031, 131042, 131045]);
const BUSY = new Set([1, 2, 131000, 131016]);

export function classifySendAnswer(answer: GraphApiAnswer): CallResult {
  const { status, body, retryAfterMs } = answer;
  if (status === 200) {
    const accepted = Accepted.safeParse(body);
    const [first] = accepted.data?.messages ?? [];
    return first ? { kind: 'sent', messageId: first.id } : { kind: 'ambiguous', detail: 'an answer without an id' };
  }
  const refused = readRefusal(answer);
  if (refused === null) {
    if (status === 429) return { kind: 'wait', retryAfterMs: retryAfterMs ?? 1_000 };
    return { kind: 'busy', detail: `HTTP ${status}` };
  }
  const { code, detail } = refused;
  if (WINDOW_CLOSED.has(code)) return { kind: 'window-closed' };
  const waitMs = WAITS_MS[code] ?? (status === 429 ? 1_000 : undefined);
  if (waitMs !== undefined) return { kind: 'wait', retryAfterMs: Math.max(waitMs, retryAfterMs ?? 0) };
  if (isAccountProblem(code)) return { kind: 'account-refused', detail };
  if (BUSY.has(code) || status >= 500) return { kind: 'busy', detail };
  return { kind: 'rejected', detail };
}

/** The code and text of a refusal by Meta; null for any other answer. */
export function readRefusal({ body }: GraphApiAnswer): { readonly code: number; readonly detail: string } | null {
  const refused = Refused.safeParse(body);
  if (!refused.success) return null;
  const { code, message, error_data: data } = refused.data.error;
  return { code, detail: [`${code}`, message, data?.details].filter(Boolean).join(' ').slice(0, 300) };
}

/** True when a refusal concerns the token or account, and so every call. */
export function isAccountProblem(code: number): boolean {
  return ACCOUNT.has(code) || (code >= 200 && code <= 299);
}
