import { newId } from '@signalbox/contracts/ids';
import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS, abortAfter, waitOrAbort } from '@signalbox/contracts/time';
import { z } from 'zod';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { startLoop } from '../loop.ts';
import { openRedis, type Redis } from '../redis.ts';

/*
 * Services request the bytes of a file that a person sent; the gateway of the channel's account fetches them, because
 * it alone has the token. Requests wait in one list per account, replies in one list per request, each for at most a
 * minute. Nothing is stored: a lost request times out.
 */

/** A file held by a channel, and the account that can fetch it. */
export interface ChannelFile {
  readonly channel: string;
  readonly bot: string;
  /** The channel's id of the file. */
  readonly ref: string;
  readonly limitBytes: number;
}

/** The reply to a file request. `away`: the channel, or every gateway of its account, is unavailable. */
export type FetchedFile =
  { readonly kind: 'file'; readonly bytes: Uint8Array } | { readonly kind: 'too-large' | 'gone' | 'away' };

const LIST_TTL_SECONDS = 60;
/** Seconds that a gateway blocks for a request; `close` ends the wait. */
const POP_SECONDS = 5;
const REST_MS = 10;
/** Maximum files that one gateway fetches at once: each is held in memory. */
const MAX_CONCURRENT = 4;
/** Deadline of one file's fetch, at the gateway and for the requester. */
const FETCH_MS = 20 * SECOND_MS;

const Request = z.object({ id: z.string().min(1), ref: z.string().min(1), limitBytes: z.number().int().min(1) });

const Kind = z.enum(['file', 'too-large', 'gone', 'away']);

/** Requests a file on its own connection. Throws only the reason of the signal, as soon as it fires. */
export async function requestFile(
  options: { readonly redisUrl: string; readonly prefix: string; readonly log: Log },
  { channel, bot, ref, limitBytes }: ChannelFile,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const redis = openRedis(options.redisUrl, options.log, 0);
  const id = newId('file');
  const request = async (): Promise<FetchedFile> => {
    const requests = getRequestKey(options.prefix, channel, bot);
    await redis
      .multi()
      .rpush(requests, JSON.stringify({ id, ref, limitBytes }))
      .expire(requests, LIST_TTL_SECONDS)
      .exec();
    const replyList = getReplyKey(options.prefix, id);
    const [, head] = (await redis.blpop(replyList, FETCH_MS / SECOND_MS)) ?? [];
    const kind = Kind.safeParse(head).data ?? 'away';
    if (kind !== 'file') return { kind };
    const bytes = await redis.lpopBuffer(replyList);
    return bytes === null ? { kind: 'away' } : { kind, bytes };
  };
  const late = abortAfter(FETCH_MS + SECOND_MS); // this deadline applies when Redis does not answer
  try {
    return await waitOrAbort(request(), AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    options.log.warn('file not asked for', { channel, error });
    return { kind: 'away' };
  } finally {
    redis.disconnect();
  }
}

/** Serves file requests for one account, a few at a time, until closed. `fetch` must not throw. */
export function serveFiles(options: {
  readonly redisUrl: string;
  readonly redis: Redis;
  readonly prefix: string;
  readonly log: Log;
  readonly channel: string;
  readonly bot: string;
  readonly fetch: (
    ref: string,
    limits: { readonly limitBytes: number; readonly signal: AbortSignal },
  ) => Promise<FetchedFile>;
}): Closable {
  const { redis, prefix, log, channel, bot } = options;
  const listening = openRedis(options.redisUrl, log, 0);
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const serve = async ({ id, ref, limitBytes }: z.infer<typeof Request>): Promise<void> => {
    const signal = AbortSignal.any([stop.signal, abortAfter(FETCH_MS)]);
    const fetched = await options.fetch(ref, { limitBytes, signal });
    const replyList = getReplyKey(prefix, id);
    const parts = fetched.kind === 'file' ? [fetched.kind, Buffer.from(fetched.bytes)] : [fetched.kind];
    await redis
      .multi()
      .rpush(replyList, ...parts)
      .expire(replyList, LIST_TTL_SECONDS)
      .exec();
  };
  const step = async (): Promise<void> => {
    if (running.size >= MAX_CONCURRENT) await Promise.race(running);
    const popped = await listening.blpop(getRequestKey(prefix, channel, bot), POP_SECONDS).catch((error: unknown) => {
      if (stop.signal.aborted) return null;
      throw error;
    });
    const [, raw = ''] = popped ?? [];
    const request = Request.safeParse(parseJson(raw)).data;
    if (!request) return;
    const work = serve(request)
      .catch((error: unknown) => log.warn('file not handed over', { channel, error }))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const loop = startLoop({ name: 'files', everyMs: REST_MS, log, step });
  return {
    close: async () => {
      stop.abort(new Error('the gateway is shutting down'));
      // A blocked read would delay the closing of later parts.
      listening.disconnect();
      await loop.close();
      await Promise.all(running);
    },
  };
}

function getRequestKey(prefix: string, channel: string, bot: string): string {
  return `${prefix}file:asked:${channel}:${bot}`;
}

function getReplyKey(prefix: string, id: string): string {
  return `${prefix}file:given:${id}`;
}
