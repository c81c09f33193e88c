import { abortAfter } from '@signalbox/contracts/time';
import type { SendResult } from '@signalbox/gateway/channels/channel';
import { classifyRequestFailure } from '@signalbox/gateway/channels/http/no-answer';
import { z } from 'zod';

/** One message, as Postbox takes it. */
export interface PostboxMessage {
  readonly text: string;
  /** `data` comes back with a press. */
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
}

export type PostboxClient = ReturnType<typeof createClient>;

/** A call that takes longer has an unknown fate. */
const CALL_MS = 20_000;
/** How long Postbox holds a request for updates when there are none. */
const HOLD_MS = 20_000;

const Delivered = z.object({ id: z.string().min(1).max(80) });
const Refused = z.object({
  reason: z.string().max(300).default(''),
  /** Seconds. */
  retryAfter: z.number().nonnegative().optional(),
  /** Where a chat goes on. */
  chat: z.string().min(1).max(80).optional(),
});
/** What is in an update, `receive.ts` reads. */
const Updates = z.object({ updates: z.array(z.looseObject({ id: z.int().nonnegative() })) });

/** Speaks with Postbox. What sends answer is a value; `fetchUpdates` rejects when there is no answer. */
export function createClient({ url, token }: { readonly url: string; readonly token: string }) {
  const call = (method: string, path: string, body: object | null, signal: AbortSignal): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      redirect: 'manual', // the token is for this address alone
      signal,
    });
  const send = async (method: string, path: string, body: object | null): Promise<SendResult> => {
    let [status, text] = [0, ''];
    try {
      const response = await call(method, path, body, abortAfter(CALL_MS));
      [status, text] = [response.status, await response.text()];
    } catch (error) {
      return classifyRequestFailure(error);
    }
    return readAnswer(status, text);
  };
  const pathOf = (id: string): string => `/messages/${encodeURIComponent(id)}`;
  return {
    send: (chat: string, message: PostboxMessage) => send('POST', '/messages', { chat, ...message }),
    edit: (chat: string, id: string, message: PostboxMessage) => send('PUT', pathOf(id), { chat, ...message }),
    remove: (chat: string, id: string) => send('DELETE', pathOf(id), { chat }),
    answerPress: (id: string, toast: string | null) =>
      send('POST', `/presses/${encodeURIComponent(id)}`, { text: toast }),
    /** Everything after this number, which Postbox forgets up to it. With `holds`, it waits until there is something. */
    fetchUpdates: async (
      after: number,
      { holds, signal }: { readonly holds: boolean; readonly signal: AbortSignal },
    ) => {
      const late = abortAfter(HOLD_MS + CALL_MS);
      const path = `/updates?after=${after}&holdMs=${holds ? HOLD_MS : 0}`;
      const response = await call('GET', path, null, AbortSignal.any([signal, late]));
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
      return Updates.parse(await response.json()).updates;
    },
  };
}

/** What an answer means for us. What makes no sense leaves open whether the message was taken. */
function readAnswer(status: number, text: string): SendResult {
  const body = parseJson(text);
  if (status === 200) {
    const delivered = Delivered.safeParse(body);
    if (delivered.success) return { kind: 'sent', messageId: delivered.data.id };
    return { kind: 'ambiguous', detail: 'an answer without an id' };
  }
  const { reason, retryAfter, chat } = Refused.safeParse(body).data ?? { reason: '' };
  if (status === 429) return { kind: 'wait', retryAfterMs: (retryAfter ?? 1) * 1_000 };
  if (status === 403) return { kind: 'blocked', reason };
  if (status === 404) return { kind: 'gone' };
  if (status === 410 && chat !== undefined) return { kind: 'moved', chatKey: `postbox:${chat}` };
  // A token that is not taken any more: somebody mends it, and until then nothing is given up.
  if (status >= 500 || status === 401 || status < 400) return { kind: 'busy', detail: `HTTP ${status} ${reason}` };
  return { kind: 'rejected', detail: reason };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a page of something on the way
  }
}
