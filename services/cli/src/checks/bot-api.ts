import { z } from 'zod';
import { abortAfter } from '@signalbox/contracts/time';
import { getReason } from './finding.ts';
import type { CliConfig } from '../config.ts';

export type BotResult<T> =
  /** `at` is Telegram's time in seconds; null when missing. */
  | { readonly kind: 'answered'; readonly result: T; readonly at: Date | null }
  /** Telegram refused the call; `description` is its message. */
  | { readonly kind: 'refused'; readonly description: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Telegram's data about a bot's webhook. `url` is empty without a webhook. */
export const WebhookInfo = z.object({
  url: z.string().default(''),
  pending_update_count: z.number().default(0),
  /** Unix seconds. */
  last_error_date: z.number().optional(),
  last_error_message: z.string().optional(),
  max_connections: z.number().optional(),
  ip_address: z.string().optional(),
  allowed_updates: z.array(z.string()).optional(),
});
export type WebhookInfo = z.infer<typeof WebhookInfo>;

const Envelope = z.object({ ok: z.boolean(), description: z.string().optional(), result: z.unknown().optional() });

const TIMEOUT_MS = 8_000;

/** Calls a method without parameters. Never throws or shows the token. */
export async function callBotApi<S extends z.ZodType>(
  { TELEGRAM_API_ROOT: root }: CliConfig,
  token: string,
  method: string,
  schema: S,
): Promise<BotResult<z.output<S>>> {
  try {
    const url = `${root.replace(/\/+$/, '')}/bot${token}/${method}`;
    const response = await fetch(url, { method: 'POST', signal: abortAfter(TIMEOUT_MS) });
    const answer = Envelope.safeParse(await response.json());
    const result = schema.safeParse(answer.data?.result);
    const at = new Date(response.headers.get('date') ?? NaN);
    if (answer.data?.ok && result.success)
      return { kind: 'answered', result: result.data, at: Number.isNaN(at.getTime()) ? null : at };
    return { kind: 'refused', description: answer.data?.description ?? `HTTP ${response.status}` };
  } catch (error) {
    return { kind: 'unreachable', reason: getReason(error) };
  }
}
