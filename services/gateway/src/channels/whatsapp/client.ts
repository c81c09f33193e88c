import { abortAfter } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { request } from 'undici';
import { z } from 'zod';
import type { FetchResult } from '../channel.ts';
import { readAtMost } from '../http/read-body.ts';

/** An answer of the Graph API. `body` is null when the answer was no JSON, as from a proxy. */
export interface GraphApiAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The Retry-After header; null without one. */
  readonly retryAfterMs: number | null;
}

interface GraphApiBody {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export type GraphApiClient = ReturnType<typeof createGraphApiClient>;

/** Meta's answers are shorter. */
const ANSWER_LIMIT_BYTES = 1024 * 1024;
/** Meta normally answers within a second; the outcome of a slower call is unknown. */
const CALL_MS = 20_000;
/** Enough for a hundred megabytes on a slow line; other chats are not delayed. */
const UPLOAD_MS = 120_000;
/** Meta's hosts for files. The token is sent to no other host. */
const FILE_HOSTS = /(^|\.)(fbsbx\.com|facebook\.com|whatsapp\.net)$/;

const MediaPlace = z.object({ url: z.url(), file_size: z.number().nonnegative().optional() });

/** Creates a Graph API client for one phone number. Calls reject only without a complete answer: see failure.ts. */
export function createGraphApiClient(options: {
  readonly root: string;
  readonly token: string;
  readonly phoneNumberId: string;
}) {
  const { root, token, phoneNumberId } = options;
  const authorization = `Bearer ${token}`;

  const call = async (
    path: string,
    init: { readonly method: 'GET' | 'POST'; readonly body?: GraphApiBody; readonly timeoutMs?: number },
    signal?: AbortSignal,
  ): Promise<GraphApiAnswer> => {
    const { method, body = null, timeoutMs = CALL_MS } = init;
    const timeout = abortAfter(timeoutMs);
    const answer = await request(`${root}/${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': body.type }) },
      body: body?.bytes ?? null,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await readAtMost(answer.body, ANSWER_LIMIT_BYTES);
    const retryAfterSeconds = Number(answer.headers['retry-after'] ?? Number.NaN);
    return {
      status: answer.statusCode,
      body: parseJson(text?.toString() ?? '') ?? null,
      retryAfterMs: retryAfterSeconds >= 0 ? retryAfterSeconds * 1_000 : null,
    };
  };

  return {
    post: (message: object) =>
      call(`${phoneNumberId}/messages`, {
        method: 'POST',
        body: {
          type: 'application/json',
          bytes: Buffer.from(JSON.stringify({ messaging_product: 'whatsapp', ...message })),
        },
      }),
    async upload(file: {
      readonly bytes: Uint8Array;
      readonly mimeType: string;
      readonly name: string;
    }): Promise<GraphApiAnswer> {
      const form = new FormData();
      form.set('messaging_product', 'whatsapp');
      form.set('type', file.mimeType);
      form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.mimeType }), file.name);
      // Written here: undici sends only forms of its own kind, and which undici sends depends on who made a request first.
      const written = new Response(form);
      const body = {
        type: written.headers.get('content-type') ?? 'multipart/form-data',
        bytes: Buffer.from(await written.arrayBuffer()),
      };
      return call(`${phoneNumberId}/media`, { method: 'POST', body, timeoutMs: UPLOAD_MS });
    },
    /** Reads the phone number of the bot's account. */
    readNumber: (signal: AbortSignal) =>
      call(`${phoneNumberId}?fields=display_phone_number`, { method: 'GET' }, signal),
    /** Fetches a person's file: first its address, which is valid for minutes, then its bytes. Never throws. */
    async fetchFile(
      ref: string,
      { limitBytes, signal }: { readonly limitBytes: number; readonly signal: AbortSignal },
    ): Promise<FetchResult> {
      if (!/^\d{1,60}$/.test(ref)) return { kind: 'gone' };
      try {
        const { status, body } = await call(ref, { method: 'GET' }, signal);
        if (status !== 200) return describeStatus(status);
        const place = MediaPlace.safeParse(body);
        if (!place.success || !isFilePlace(place.data.url, root)) return { kind: 'away', detail: 'no usable address' };
        if ((place.data.file_size ?? 0) > limitBytes) return { kind: 'too-large' };
        const file = await request(place.data.url, { headers: { authorization }, signal });
        if (file.statusCode !== 200) {
          await file.body.dump();
          return describeStatus(file.statusCode);
        }
        const bytes = await readAtMost(file.body, limitBytes);
        return bytes === null ? { kind: 'too-large' } : { kind: 'file', bytes };
      } catch (error) {
        return { kind: 'away', detail: error instanceof Error ? error.name : 'no answer' };
      }
    },
  };
}

/** Meta answers 400 for an id that no longer exists. */
function describeStatus(status: number): FetchResult {
  return status === 400 || status === 404 ? { kind: 'gone' } : { kind: 'away', detail: `HTTP ${status}` };
}

function isFilePlace(url: string, root: string): boolean {
  const { protocol, hostname, origin } = new URL(url);
  return origin === new URL(root).origin || (protocol === 'https:' && FILE_HOSTS.test(hostname));
}
