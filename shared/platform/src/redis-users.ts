import { createHash } from 'node:crypto';
import type { JobPool } from '@signalbox/contracts/operations/jobs';
import {
  INBOUND_TOPIC,
  OUTBOUND_TOPIC,
  STOP_CHANNEL,
  URGENT_CHANNEL,
  type StreamTopic,
} from '@signalbox/contracts/conversation/topics';
import type { Redis } from './redis.ts';

/** The services with their own Redis user. The proxy needs no Redis; the default user belongs to the administrator. */
export type RedisService = 'gateway' | 'worker' | JobPool;

/** The keys and channels that one service may use, without the installation's prefix. */
interface RedisScope {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

/**
 * Commands that every service may use: data, scripts (for BullMQ) and connections. Excluded: commands that list or
 * empty keys, change the server, or inspect other connections. INFO is needed to check that Redis evicts no keys, and TIME because
 * leases must not depend on the clocks of machines.
 */
const COMMANDS = [
  '-@all',
  '+@read',
  '+@write',
  '+@transaction',
  '+@scripting',
  '+@pubsub',
  '+@connection',
  '-@admin',
  '-@dangerous',
  '+info',
  '+time',
  '-scan',
  '-randomkey',
  '-dbsize',
  '-function',
  '-fcall',
  '-fcall_ro',
];

const SCOPES: Readonly<Record<RedisService, RedisScope>> = {
  // The gateway also uses keys of `channel:*`, which belong to the channels: see ChannelDeps.
  gateway: {
    keys: [...toStreamPatterns(INBOUND_TOPIC, OUTBOUND_TOPIC), 'burst:*', 'draft:*', 'file:*', 'channel:*'],
    channels: [STOP_CHANNEL, `${URGENT_CHANNEL}:*`, 'draft', 'channel:*'],
  },
  // The worker enqueues jobs of every pool.
  worker: {
    keys: [
      ...toStreamPatterns(INBOUND_TOPIC, OUTBOUND_TOPIC),
      '{jobs}:*',
      'thread:sequence:*',
      'file:*',
      'handed:*',
      '{permits:*',
    ],
    channels: [STOP_CHANNEL, `${URGENT_CHANNEL}:*`, 'draft'],
  },
  maintenance: toPoolScope('maintenance'),
  // The worker hands files of people to the agents pool, which cannot ask a channel for one.
  agents: { ...toPoolScope('agents'), keys: [...toPoolScope('agents').keys, 'handed:*'] },
  // The deploy pool enqueues analysis jobs for the repositories that it fetched.
  deploy: { ...toPoolScope('deploy'), keys: [...toPoolScope('deploy').keys, '{jobs}:analysis:*'] },
  // Asks models for changes of code, in turn with the workers.
  analysis: { ...toPoolScope('analysis'), keys: [...toPoolScope('analysis').keys, '{permits:*'] },
};

/** The names of the Redis users, equal to the service names. */
export const REDIS_SERVICES = Object.keys(SCOPES) as readonly RedisService[]; // SCOPES has exactly these keys

/**
 * Arguments of ACL SETUSER after the name: replaces the user, with this password only. The password appears as its
 * SHA-256, which suffices for random passwords. Applying the same rules twice changes nothing.
 */
export function buildRedisUserRules(service: RedisService, password: string, prefix: string): readonly string[] {
  const escapedPrefix = prefix.replaceAll(/[\\*?[\]]/g, (sign) => `\\${sign}`);
  const { keys, channels } = SCOPES[service];
  return [
    'reset',
    'on',
    `#${createHash('sha256').update(password).digest('hex')}`,
    ...keys.map((key) => `~${escapedPrefix}${key}`),
    ...channels.map((channel) => `&${escapedPrefix}${channel}`),
    ...COMMANDS,
  ];
}

/**
 * Creates or updates the users that have a password, with an administrator's connection, and saves them when the
 * server has an `aclfile`; without one, a restart of the server loses them. Safe to repeat.
 */
export async function setRedisUsers(
  redis: Redis,
  passwords: Readonly<Record<RedisService, string | undefined>>,
  prefix: string,
): Promise<void> {
  for (const service of REDIS_SERVICES) {
    const password = passwords[service];
    if (password !== undefined) await redis.acl('SETUSER', service, ...buildRedisUserRules(service, password, prefix));
  }
  // CONFIG GET returns name and value
  const [, file] = (await redis.config('GET', 'aclfile')) as readonly string[];
  if (file) await redis.acl('SAVE');
}

/** A job pool uses its own queue, and publishes to lanes and chats. */
function toPoolScope(name: JobPool): RedisScope {
  return { keys: [...toStreamPatterns(INBOUND_TOPIC, OUTBOUND_TOPIC), `{jobs}:${name}:*`], channels: [] };
}

function toStreamPatterns(...topics: readonly StreamTopic[]): readonly string[] {
  return topics.map((topic) => `{${topic.name}:*}:messages`);
}
