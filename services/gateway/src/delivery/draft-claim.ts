import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import { sleep } from '@signalbox/contracts/time';

export type DraftClaims = ReturnType<typeof createDraftClaims>;

/** Longer than a draft takes to be shown, so that two never show one at the same time. */
const CLAIM_MS = 6_000;
const LOOK_EVERY_MS = 20;
/** Stands for no gateway. */
const CLOSED = '-';

/**
 * KEYS[1] the claim; ARGV[1] who asks, ARGV[2] milliseconds. Returns 1 when the asker has it now, else 0.
 */
const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** KEYS[1] the claim; ARGV[1] who gives it up. Returns 1 when the giver had it, else 0. */
const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/**
 * Who shows the drafts of a chat, agreed in Redis: every gateway hears them and one of them shows them. Claims are in this gateway's
 * name. Nothing here throws: without Redis there are no drafts to show.
 */
export function createDraftClaims(deps: {
  readonly redis: Redis;
  readonly prefix: string;
  /** This process, unlike any other. */
  readonly gateway: string;
  readonly log: Log;
}) {
  const { redis, prefix, gateway, log } = deps;
  const keyOf = (chatKey: string): string => `${prefix}draft:${chatKey}`;

  const ask = async (what: string, question: () => Promise<unknown>): Promise<unknown> => {
    // A connection that is down would hold up the message that waits for the answer.
    if (redis.status !== 'ready') return null;
    return question().catch((error: unknown) => log.debug('draft claim not reached', { what, error }));
  };

  return {
    /** Takes the chat, or keeps it, for CLAIM_MS. False when another gateway has it, or when Redis does not say. */
    take: async (chatKey: string) =>
      (await ask('take', () => redis.eval(TAKE, 1, keyOf(chatKey), gateway, CLAIM_MS))) === 1,
    /** Lets another gateway have it. */
    release: async (chatKey: string) =>
      void (await ask('release', () => redis.eval(RELEASE, 1, keyOf(chatKey), gateway))),
    /** No gateway shows drafts there for that time, the present holder included. */
    close: async (chatKey: string, forMs: number) =>
      void (await ask('close', () => redis.set(keyOf(chatKey), CLOSED, 'PX', Math.max(1, Math.round(forMs))))),
    /** Resolves once no other gateway has the chat. False when one still has it after `timeoutMs`. */
    async untilFree(chatKey: string, timeoutMs: number): Promise<boolean> {
      const deadlineMs = performance.now() + timeoutMs;
      for (;;) {
        const holder = await ask('look', () => redis.get(keyOf(chatKey)));
        if (typeof holder !== 'string' || holder === gateway || holder === CLOSED) return true;
        if (performance.now() >= deadlineMs) return false;
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}
