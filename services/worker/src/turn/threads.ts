import { readCurrentThread } from '@signalbox/store/conversation/threads';
import type { Pool } from '@signalbox/store/pool';
import type { Redis } from '@signalbox/platform/redis';

export type ThreadSequences = ReturnType<typeof createThreadSequences>;

/** KEYS[1] the mirror; ARGV[1] the number. Raises the mirror to the number and returns the higher one. */
const RAISE = `
local now = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) > now then redis.call('SET', KEYS[1], ARGV[1]) return tonumber(ARGV[1]) end
return now`;

/** Mirrors a person's newest thread number to Redis as `thread:sequence:{user_key}`. Postgres allocates the number. */
export function createThreadSequences(options: {
  readonly redis: Redis;
  readonly pool: Pool;
  readonly prefix: string;
}) {
  const key = (userKey: string): string => `${options.prefix}thread:sequence:${userKey}`;
  const raise = (userKey: string, n: number): Promise<unknown> => options.redis.eval(RAISE, 1, key(userKey), String(n));
  return {
    /** Records a new thread's number. Numbers only grow, in any order of calls. */
    async record(threadId: string): Promise<void> {
      const parsed = parseThreadId(threadId);
      if (parsed) await raise(parsed.userKey, parsed.n);
    },
    async current(userKey: string): Promise<string | null> {
      const mirrored = await options.redis.get(key(userKey)).catch(() => null); // an outage of Redis is ignored, since Postgres has the numbers
      if (mirrored !== null) return `user_${userKey}_${mirrored}`;
      const n = await readCurrentThread(options.pool, userKey);
      if (n === null) return null;
      await raise(userKey, n);
      return `user_${userKey}_${n}`;
    },
  };
}

/** Parses `user_{user_key}_{n}`; null for other text. */
function parseThreadId(threadId: string): { readonly userKey: string; readonly n: number } | null {
  const match = /^user_(.+)_(\d+)$/.exec(threadId);
  return match?.[1] && match[2] ? { userKey: match[1], n: Number(match[2]) } : null;
}
