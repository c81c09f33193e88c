import { newId } from '@signalbox/contracts/ids';
import { parseJson } from '@signalbox/contracts/system-error';
import { SECOND_MS, abortAfter, untilAborted } from '@signalbox/contracts/time';
import { z } from 'zod';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { startLoop } from '../loop.ts';
import { openRedis, type Redis } from '../redis.ts';

/*
 * A service asks for the bytes of a file that somebody sent; the gateway that has the account of the channel fetches them, because it
 * alone has the token. A request waits in a list of its account, its answer in a list of its own, each for a minute at most: nothing
 * of it is stored, and a request that is lost is one that runs out.
 */

/** A file at an account of a channel. */
export interface AskedFile {
  readonly channel: string;
  readonly bot: string;
  /** The channel's own name of it. */
  readonly ref: string;
  readonly limitBytes: number;
}

/** What came of it. `away`: the channel, or every gateway that has it. */
export type GivenFile =
  { readonly kind: 'file'; readonly bytes: Uint8Array } | { readonly kind: 'too-large' | 'gone' | 'away' };

const KEPT_SECONDS = 60;
/** How long a gateway waits for one request, and how long it rests in between. Closing ends the wait. */
const LISTEN_SECONDS = 5;
const PAUSE_MS = 10;
/** Files that one gateway fetches at the same time: each is held in memory. */
const AT_ONCE = 4;
/** What one gets, at the gateway and while it is waited for. */
const FETCH_MS = 20 * SECOND_MS;

const Request = z.object({
  id: z.string().min(1),
  ref: z.string().min(1),
  limitBytes: z.number().int().min(1),
});

const Kind = z.enum(['file', 'too-large', 'gone', 'away']);

/** Asks for a file on a connection of its own. Throws the reason of the signal as soon as it fires, and nothing else. */
export async function askForFile(
  options: { readonly redisUrl: string; readonly prefix: string; readonly log: Log },
  { channel, bot, ref, limitBytes }: AskedFile,
  signal: AbortSignal,
): Promise<GivenFile> {
  const redis = openRedis(options.redisUrl, options.log, 0);
  const id = newId('file');
  const ask = async (): Promise<GivenFile> => {
    const asked = requestKey(options.prefix, channel, bot);
    await redis.multi().rpush(asked, JSON.stringify({ id, ref, limitBytes })).expire(asked, KEPT_SECONDS).exec();
    const answer = answerKey(options.prefix, id);
    const [, head] = (await redis.blpop(answer, FETCH_MS / SECOND_MS)) ?? [];
    const kind = Kind.safeParse(head).data ?? 'away';
    if (kind !== 'file') return { kind };
    const bytes = await redis.lpopBuffer(answer);
    return bytes === null ? { kind: 'away' } : { kind, bytes };
  };
  const late = abortAfter(FETCH_MS + SECOND_MS); // Redis itself may be away
  try {
    return await untilAborted(ask(), AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    options.log.warn('file not asked for', { channel, error });
    return { kind: 'away' };
  } finally {
    redis.disconnect();
  }
}

/** Fetches files of one account for whoever asks, a few at a time, until closed. `fetch` never throws. */
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
  ) => Promise<GivenFile>;
}): Closable {
  const { redis, prefix, log, channel, bot } = options;
  const listening = openRedis(options.redisUrl, log, 0);
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const serve = async ({ id, ref, limitBytes }: z.infer<typeof Request>): Promise<void> => {
    const signal = AbortSignal.any([stop.signal, abortAfter(FETCH_MS)]);
    const given = await options.fetch(ref, { limitBytes, signal });
    const answer = answerKey(prefix, id);
    const parts = given.kind === 'file' ? [given.kind, Buffer.from(given.bytes)] : [given.kind];
    await redis
      .multi()
      .rpush(answer, ...parts)
      .expire(answer, KEPT_SECONDS)
      .exec();
  };
  const step = async (): Promise<void> => {
    if (running.size >= AT_ONCE) await Promise.race(running);
    const popped = await listening.blpop(requestKey(prefix, channel, bot), LISTEN_SECONDS).catch((error: unknown) => {
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
  const loop = startLoop({ name: 'files', everyMs: PAUSE_MS, log, step });
  return {
    close: async () => {
      stop.abort(new Error('the gateway is shutting down'));
      // A blocked read would hold up whatever is closed after this.
      listening.disconnect();
      await loop.close();
      await Promise.all(running);
    },
  };
}

function requestKey(prefix: string, channel: string, bot: string): string {
  return `${prefix}file:asked:${channel}:${bot}`;
}

function answerKey(prefix: string, id: string): string {
  return `${prefix}file:given:${id}`;
}
