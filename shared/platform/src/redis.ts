import { MIB } from '@signalbox/contracts/size';
import { withinMs } from '@signalbox/contracts/time';
import { Redis } from 'ioredis';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from './log.ts';

export type { Redis } from 'ioredis';

/**
 * Opens a Redis connection that reconnects for ever (100 ms to 2 s apart) and never crashes the process.
 * Commands wait for the connection at most `commandTimeoutMs`; pass 0 for a connection that blocks on reads.
 */
export function openRedis(url: string, log: Log, commandTimeoutMs = 5_000): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    ...(commandTimeoutMs > 0 ? { commandTimeout: commandTimeoutMs } : {}),
    connectTimeout: 5_000,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(2_000, 100 * attempt),
    // A replica that answers READONLY was demoted: reconnect, to be routed to the primary.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  let down = false;
  redis.on('error', (error: Error) => {
    if (!down) log.warn('redis connection lost', { error });
    down = true;
  });
  redis.on('ready', () => {
    if (down) log.info('redis connection is back');
    down = false;
  });
  return redis;
}

const CHECK_MS = 3_000;

/**
 * Why a service cannot use this Redis, with what to do about it; null when it can be used. Answers within some seconds, also when
 * no server answers. Throws STARTUP_REFUSED when it may evict keys: to wait would not make it safe.
 */
export async function checkRedis(url: string): Promise<AppError | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    connectTimeout: CHECK_MS,
    commandTimeout: CHECK_MS,
  });
  let reason: Error | null = null;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    await redis.ping(); // refused while it loads its data
    await requireNoEviction(redis);
    return null;
  } catch (error) {
    if (error instanceof AppError) throw error;
    return describeProblem(reason ?? error, new URL(url));
  } finally {
    redis.disconnect();
  }
}

function describeProblem(error: unknown, { host: address, username }: URL): AppError {
  const detail = error instanceof Error ? error.message : String(error);
  const [server, variable] = ['Redis', 'REDIS_URL'];
  if (/^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH)/.test(detail))
    return new AppError('LOGIN_REFUSED', { server, address, login: username || 'default', variable }, error);
  return new AppError('SERVER_AWAY', { server, address, variable, detail }, error);
}

/** So near to its limit a Redis refuses writes, or will with the next larger one. */
const FULL = 0.98;

/** How full a Redis is that takes no more writes; null for one that does. Throws when it does not answer. */
export async function findFullness(redis: Redis): Promise<string | null> {
  const info = await redis.info('memory');
  const bytes = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const [used, limit] = [bytes('used_memory'), bytes('maxmemory')];
  if (limit === 0 || used < FULL * limit) return null;
  return `it uses ${Math.round(used / MIB)} of ${Math.round(limit / MIB)} MB (maxmemory)`;
}

/** Whoever asks for readiness waits for less time than a command may take. */
const ANSWER_MS = 2_000;

/** What keeps a service from using this Redis now, in words; null when nothing does. Never throws, and answers within two seconds. */
export async function findRedisProblem(redis: Redis): Promise<string | null> {
  const fullness = await withinMs(findFullness(redis), ANSWER_MS).catch(() => undefined);
  if (fullness === undefined) return 'Redis does not answer';
  return fullness && `Redis takes no more writes: ${fullness}`;
}

/** Refuses a Redis that may evict keys: streams and queues would lose entries silently. Throws STARTUP_REFUSED. */
async function requireNoEviction(redis: Redis): Promise<void> {
  const info = await redis.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
  if (policy === 'noeviction') return;
  throw new AppError('STARTUP_REFUSED', {
    reason: `Redis has maxmemory-policy ${policy}. Set it to noeviction (redis-cli config set maxmemory-policy noeviction, and in redis.conf).`,
  });
}

/** Closes a connection: politely when Redis answers within a second, else at once. Idempotent. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'end') return;
  if (redis.status === 'ready') await withinMs(Promise.allSettled([redis.quit()]), 1_000);
  redis.disconnect();
}
