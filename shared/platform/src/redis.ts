import { MIB } from '@signalbox/contracts/size';
import { waitAtMost } from '@signalbox/contracts/time';
import { Redis } from 'ioredis';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from './log.ts';

export type { Redis } from 'ioredis';

/**
 * Opens a Redis connection that reconnects for ever (100 ms to 2 s apart) and never crashes the process. Commands
 * fail after `commandTimeoutMs`; pass 0 for a connection that blocks on reads.
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
  let isDown = false;
  redis.on('error', (error: Error) => {
    if (!isDown) log.warn('redis connection lost', { error });
    isDown = true;
  });
  redis.on('ready', () => {
    if (isDown) log.info('redis connection is back');
    isDown = false;
  });
  return redis;
}

const CHECK_TIMEOUT_MS = 3_000;

/**
 * Checks whether a service can use this Redis. Returns the problem with its remedy, or null, within seconds. Throws
 * STARTUP_REFUSED when Redis may evict keys, which waiting cannot fix.
 */
export async function checkRedis(url: string): Promise<AppError | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    connectTimeout: CHECK_TIMEOUT_MS,
    commandTimeout: CHECK_TIMEOUT_MS,
  });
  let reason: Error | null = null;
  redis.on('error', (error: Error) => (reason ??= error));
  try {
    await redis.connect();
    await redis.ping(); // throws while Redis loads its data
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

/** Share of `maxmemory` from which Redis refuses writes or soon will. */
const FULL_SHARE = 0.98;

/** Describes the memory use of a full Redis; null when Redis takes writes. Throws when Redis does not answer. */
export async function describeFullMemory(redis: Redis): Promise<string | null> {
  const info = await redis.info('memory');
  const bytes = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const [used, limit] = [bytes('used_memory'), bytes('maxmemory')];
  if (limit === 0 || used < FULL_SHARE * limit) return null;
  return `it uses ${Math.round(used / MIB)} of ${Math.round(limit / MIB)} MB (maxmemory)`;
}

/** Time limit for a readiness check of Redis, shorter than for a command. */
const PROBE_TIMEOUT_MS = 2_000;

/** Describes why this Redis is not usable now; null when it is usable. Never throws, and returns within two seconds. */
export async function findRedisProblem(redis: Redis): Promise<string | null> {
  const fullness = await waitAtMost(describeFullMemory(redis), PROBE_TIMEOUT_MS).catch(() => undefined);
  if (fullness === undefined) return 'Redis does not answer';
  return fullness && `Redis accepts no more writes: ${fullness}`;
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

/** Closes a connection with QUIT when Redis answers within a second, otherwise at once. Idempotent. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'end') return;
  if (redis.status === 'ready') await waitAtMost(Promise.allSettled([redis.quit()]), 1_000);
  redis.disconnect();
}
