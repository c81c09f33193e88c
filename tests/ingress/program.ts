import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';

/** What signs requests of a test's source. */
export const SECRET = 'a-secret-of-the-source-ci_0123456789';
export const OTHER_SECRET = 'a-secret-of-the-source-alerts_0123456789';

/** A program that writes to the ingress and reads what became of it. */
export interface Program {
  readonly url: string;
  readonly source: string;
  readonly secret: string;
}

export const Message = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  text: z.string(),
  buttons: z.array(z.object({ index: z.number(), label: z.string() })),
  final: z.boolean(),
  replaces: z.string().optional(),
  notice: z.string().optional(),
  receipts: z.array(z.object({ what: z.string(), note: z.string() })).optional(),
  files: z.array(z.string()).optional(),
});
export type Message = z.infer<typeof Message>;

export const Answer = z.object({
  id: z.string(),
  status: z.enum(['waiting', 'answered', 'failed']),
  reason: z.string().nullable(),
  more: z.boolean(),
  messages: z.array(Message),
});
export type Answer = z.infer<typeof Answer>;

/** The signature as docs/channels/ingress.md describes it, made anew here: over a body, or over the id of an event. */
export function signatureOf(secret: string, timestamp: string, content: string | Buffer): string {
  return `v1=${createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(content)]))
    .digest('hex')}`;
}

export function nowSeconds(): string {
  return String(Math.floor(Date.now() / 1_000));
}

/** The headers of a genuine request. */
export function headersOf(
  { source, secret }: Pick<Program, 'source' | 'secret'>,
  content: string | Buffer,
  timestamp = nowSeconds(),
): Record<string, string> {
  return {
    'x-signalbox-source': source,
    'x-signalbox-timestamp': timestamp,
    'x-signalbox-signature': signatureOf(secret, timestamp, content),
  };
}

/** Sends an event; `key` is what names it, a new one when not given. */
export function post(
  program: Program,
  event: object | string,
  options: { readonly key?: string | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const { key = randomUUID(), headers = {} } = options;
  return fetch(`${program.url}/webhook/ingress`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...headersOf(program, body),
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    body,
  });
}

/** Sends an event and answers its id. Throws unless it was accepted. */
export async function tell(program: Program, event: object, key?: string): Promise<string> {
  const isNamed = key !== undefined || 'id' in event;
  const response = await post(program, event, isNamed ? { key: key ?? null } : {});
  const text = await response.text();
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`);
  return z.object({ id: z.string(), status: z.literal('accepted') }).parse(JSON.parse(text)).id;
}

/** Asks what became of an event. */
export function get(program: Program, id: string): Promise<Response> {
  return fetch(`${program.url}/webhook/ingress/${id}`, { headers: headersOf(program, id) });
}

export async function read(program: Program, id: string): Promise<Answer> {
  const response = await get(program, id);
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return Answer.parse(await response.json());
}
