import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import { sleep } from '@signalbox/contracts/time';

export type DraftClaims = ReturnType<typeof createDraftClaims>;

/** Lifetime of a claim: longer than a draft call, so that two gateways never show a draft at the same time. */
const CLAIM_MS = 6_000;
const POLL_MS = 20;
/** Holder of a claim that keeps all gateways from showing drafts. */
const CLOSED = '-';

/** Lua script. KEYS[1] claim; ARGV[1] gateway, ARGV[2] milliseconds. Returns 1 when the gateway now holds the claim, else 0. */
const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Lua script. KEYS[1] claim; ARGV[1] gateway. Returns 1 when the gateway held the claim, else 0. */
const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Decides through claims in Redis which gateway shows the drafts of a chat. Never throws; without Redis, no gateway shows drafts. */
export function createDraftClaims(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly gateway: string;
  readonly log: Log;
}) {
  const { redis, prefix, gateway, log } = deps;
  const getKey = (chatKey: string): string => `${prefix}draft:${chatKey}`;

  const query = async (what: string, question: () => Promise<unknown>): Promise<unknown> => {
    // Without this check, a broken connection would delay the message that waits for the answer.
    if (redis.status !== 'ready') return null;
    return question().catch((error: unknown) => log.debug('draft claim not reached', { what, error }));
  };

  return {
    /** Takes or extends the claim to a chat's drafts for CLAIM_MS. False when another gateway holds it, or Redis is down. */
    take: async (chatKey: string) =>
      (await query('take', () => redis.eval(TAKE, 1, getKey(chatKey), gateway, CLAIM_MS))) === 1,
    release: async (chatKey: string) =>
      void (await query('release', () => redis.eval(RELEASE, 1, getKey(chatKey), gateway))),
    /** Keeps all gateways, including this one, from showing drafts in a chat for `forMs`. */
    close: async (chatKey: string, forMs: number) =>
      void (await query('close', () => redis.set(getKey(chatKey), CLOSED, 'PX', Math.max(1, Math.round(forMs))))),
    /** Resolves when no other gateway holds the claim; false when another gateway still does after `timeoutMs`. */
    async untilFree(chatKey: string, timeoutMs: number): Promise<boolean> {
      const deadlineMs = performance.now() + timeoutMs;
      for (;;) {
        const holder = await query('look', () => redis.get(getKey(chatKey)));
        if (typeof holder !== 'string' || holder === gateway || holder === CLOSED) return true;
        if (performance.now() >= deadlineMs) return false;
        await sleep(POLL_MS);
      }
    },
  };
}
