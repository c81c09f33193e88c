import { abortAfter } from '@signalbox/contracts/time';
import { parseJson } from '@signalbox/contracts/system-error';
import { FormData, request } from 'undici';
import { z } from 'zod';
import type { FetchResult } from '../channel.ts';

/** What the Graph API answered. `body` is null when it was no JSON: something on the way answered for it. */
export interface GraphAnswer {
  readonly status: number;
  readonly body: unknown;
  /** What the header Retry-After asks for; null without one. */
  readonly retryAfterMs: number | null;
}

export type GraphClient = ReturnType<typeof createGraphClient>;

/** An answer that is longer is nothing that Meta sends. */
const ANSWER_LIMIT_BYTES = 1024 * 1024;
/** A call that takes longer has an unknown fate; Meta answers within a second when it is well. */
const CALL_MS = 20_000;
/** A hundred megabytes over a slow line; texts do not wait behind them, because each chat has a lane of its own. */
const UPLOAD_MS = 120_000;
/** Where Meta keeps files. The token goes nowhere else, whatever an answer says. */
const FILE_HOSTS = /(^|\.)(fbsbx\.com|facebook\.com|whatsapp\.net)$/;

const MediaPlace = z.object({ url: z.url(), file_size: z.number().nonnegative().optional() });

/** Calls the Graph API for one phone number. Calls reject only when there is no whole answer: see failure.ts. */
export function createGraphClient(options: {
  readonly root: string;
  readonly token: string;
  readonly phoneNumberId: string;
}) {
  const { root, token, phoneNumberId } = options;
  const authorization = `Bearer ${token}`;

  const call = async (
    path: string,
    init: { readonly method: 'GET' | 'POST'; readonly body?: string | FormData; readonly timeoutMs?: number },
    signal?: AbortSignal,
  ): Promise<GraphAnswer> => {
    const { method, body = null, timeoutMs = CALL_MS } = init;
    const timeout = abortAfter(timeoutMs);
    const answer = await request(`${root}/${path}`, {
      method,
      headers: { authorization, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) },
      body,
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
    /** Sends a message, or the mark of what was read. */
    post: (message: object) =>
      call(`${phoneNumberId}/messages`, {
        method: 'POST',
        body: JSON.stringify({ messaging_product: 'whatsapp', ...message }),
      }),
    /** Puts a file where a message can name it. */
    upload(file: {
      readonly bytes: Uint8Array;
      readonly mimeType: string;
      readonly name: string;
    }): Promise<GraphAnswer> {
      const form = new FormData();
      form.set('messaging_product', 'whatsapp');
      form.set('type', file.mimeType);
      form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.mimeType }), file.name);
      return call(`${phoneNumberId}/media`, { method: 'POST', body: form, timeoutMs: UPLOAD_MS });
    },
    /** Who we are there. */
    readNumber: (signal: AbortSignal) =>
      call(`${phoneNumberId}?fields=display_phone_number`, { method: 'GET' }, signal),
    /** The bytes of a file that a person sent: its address first, which is good for minutes, then what is there. Never throws. */
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

/** Meta says 400 of an id that it does not have any more. */
function describeStatus(status: number): FetchResult {
  return status === 400 || status === 404 ? { kind: 'gone' } : { kind: 'away', detail: `HTTP ${status}` };
}

function isFilePlace(url: string, root: string): boolean {
  const { protocol, hostname, origin } = new URL(url);
  return origin === new URL(root).origin || (protocol === 'https:' && FILE_HOSTS.test(hostname));
}

/** The whole body; null when it is longer than that. */
async function readAtMost(body: AsyncIterable<unknown>, limitBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const piece = chunk as Uint8Array; // undici's bodies yield bytes
    length += piece.length;
    if (length > limitBytes) return null; // leaving the loop closes the connection
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
