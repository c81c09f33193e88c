import { INBOUND_TOPIC, OUTBOUND_TOPIC, type StreamTopic } from '@signalbox/contracts/conversation/topics';
import { describeFullMemory, type Redis } from '@signalbox/platform/redis';
import { listStreamKeys } from '@signalbox/platform/streams/keys';
import type { CliConfig } from '../config.ts';
import type { CommandContext } from '../command.ts';
import { createFailure, createOk, getReason, createWarning, type CheckResult } from './finding.ts';

/** Checks that Redis answers, evicts no keys, persists, and has the streams and groups. */
export async function checkRedis({ config, redis }: CommandContext): Promise<readonly CheckResult[]> {
  if (config.REDIS_URL === undefined)
    return [createFailure('Redis', 'REDIS_URL is not set', 'Run `npm start` in this checkout, or set REDIS_URL.')];
  try {
    const client = redis();
    const info = await readInfo(client);
    const host = new URL(config.REDIS_URL).host;
    return [
      createOk('Redis', `${info('redis_version')} at ${host}`),
      checkEviction(info('maxmemory_policy')),
      await checkMemory(client),
      checkPersistence(info('aof_enabled')),
      await checkStreams(client, config),
    ];
  } catch (error) {
    return [createFailure('Redis', `does not answer: ${getReason(error)}`, 'Start it, or correct REDIS_URL.')];
  }
}

/** The client retries connections forever; the first error is enough here. */
async function readInfo(client: Redis): Promise<(field: string) => string> {
  const refused = new Promise<never>((_, reject) => client.once('error', reject));
  const text = await Promise.race([client.info(), refused]);
  return (field) => new RegExp(`^${field}:(\\S*)`, 'm').exec(text)?.[1] ?? 'unknown';
}

function checkEviction(policy: string): CheckResult {
  if (policy === 'noeviction') return createOk('eviction', 'noeviction');
  return createFailure(
    'eviction',
    policy,
    'redis-cli config set maxmemory-policy noeviction, and the same in redis.conf.',
  );
}

async function checkMemory(client: Redis): Promise<CheckResult> {
  const fullness = await describeFullMemory(client);
  if (fullness === null) return createOk('memory', 'takes writes');
  return createFailure(
    'memory',
    `accepts no more writes: ${fullness}`,
    'Give it more (maxmemory), or find what fills it.',
  );
}

function checkPersistence(enabled: string): CheckResult {
  if (enabled === '1') return createOk('append-only file', 'on');
  const remedy =
    'redis-cli config set appendonly yes. Without it a restart loses wake-ups, which sweepers repair in seconds.';
  return createWarning('append-only file', 'off', remedy);
}

async function checkStreams(client: Redis, config: CliConfig): Promise<CheckResult> {
  const missing: string[] = [];
  missing.push(...(await listMissingGroups(client, INBOUND_TOPIC, config)));
  for (const channel of config.GATEWAY_CHANNELS.split(','))
    missing.push(...(await listMissingGroups(client, OUTBOUND_TOPIC, config, channel.trim())));
  if (missing.length === 0)
    return createOk('streams', `${INBOUND_TOPIC.name} and ${OUTBOUND_TOPIC.name}, with their groups`);
  const remedy = 'The services create them when they start. If they run, compare REDIS_PREFIX and STREAM_PARTITIONS.';
  return createWarning('streams', `without a group: ${missing.join(', ')}`, remedy);
}

async function listMissingGroups(
  client: Redis,
  topic: StreamTopic,
  config: CliConfig,
  branch: string | null = null,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const key of listStreamKeys(config.REDIS_PREFIX, topic, config.STREAM_PARTITIONS, branch)) {
    // Redis returns an error for a missing stream.
    const groups = (await client.xinfo('GROUPS', key).catch(() => [])) as unknown[];
    if (!JSON.stringify(groups).includes(JSON.stringify(topic.group))) missing.push(key);
  }
  return missing;
}
