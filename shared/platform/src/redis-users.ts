import { createHash } from 'node:crypto';
import type { JobPool } from '@signalbox/contracts/operations/jobs';
import { INBOUND, OUTBOUND, STOP_CHANNEL, type Topic } from '@signalbox/contracts/conversation/topics';
import type { Redis } from './redis.ts';

/** The services that have a Redis user of their own. The proxy needs no Redis; the default user is its administrator's. */
export type RedisService = 'gateway' | 'worker' | JobPool;

/** The keys and channels of one service, behind the prefix of the installation. */
interface Reach {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

/**
 * Commands of every service: data, scripts (BullMQ is made of them) and what a connection needs. Nothing that lists or empties what
 * belongs to others, changes the server, or looks into other connections. INFO tells whether Redis may evict keys.
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
  '-scan',
  '-randomkey',
  '-dbsize',
  '-function',
  '-fcall',
  '-fcall_ro',
];

const REACH: Readonly<Record<RedisService, Reach>> = {
  // What a channel keeps is its own: see ChannelParts.
  gateway: {
    keys: [...streams(INBOUND, OUTBOUND), 'burst:*', 'draft:*', 'file:*', 'channel:*'],
    channels: [STOP_CHANNEL, 'draft', 'channel:*'],
  },
  // It puts work into the queue of every pool.
  worker: {
    keys: [...streams(INBOUND, OUTBOUND), '{jobs}:*', 'thread:sequence:*', 'file:*'],
    channels: [STOP_CHANNEL, 'draft'],
  },
  maintenance: pool('maintenance'),
  agents: pool('agents'),
  // It hands on what it has fetched.
  deploy: { ...pool('deploy'), keys: [...pool('deploy').keys, '{jobs}:analysis:*'] },
  analysis: pool('analysis'),
};

/** The names of the users, which are those of the services. */
export const REDIS_SERVICES = Object.keys(REACH) as readonly RedisService[]; // the keys of the record above, and no others

/**
 * What ACL SETUSER takes after the name: the user as it is to be, with this password and no other. The password is in it as its
 * SHA-256, which suffices for a random one. The same again changes nothing.
 */
export function redisUserRules(service: RedisService, password: string, prefix: string): readonly string[] {
  const begin = prefix.replaceAll(/[\\*?[\]]/g, (sign) => `\\${sign}`);
  const { keys, channels } = REACH[service];
  return [
    'reset',
    'on',
    `#${createHash('sha256').update(password).digest('hex')}`,
    ...keys.map((key) => `~${begin}${key}`),
    ...channels.map((channel) => `&${begin}${channel}`),
    ...COMMANDS,
  ];
}

/**
 * Makes the users whose passwords are given, as an administrator of the server, and has it keep them where it has a file for that
 * (`aclfile`): otherwise they are gone with its next restart. The same again changes nothing.
 */
export async function setRedisUsers(
  redis: Redis,
  passwords: Readonly<Record<RedisService, string | undefined>>,
  prefix: string,
): Promise<void> {
  for (const service of REDIS_SERVICES) {
    const password = passwords[service];
    if (password !== undefined) await redis.acl('SETUSER', service, ...redisUserRules(service, password, prefix));
  }
  // CONFIG GET answers names and values in turn.
  const [, file] = (await redis.config('GET', 'aclfile')) as readonly string[];
  if (file) await redis.acl('SAVE');
}

/** A pool of jobs takes from its own queue, and wakes lanes and chats. */
function pool(name: JobPool): Reach {
  return { keys: [...streams(INBOUND, OUTBOUND), `{jobs}:${name}:*`], channels: [] };
}

function streams(...topics: readonly Topic[]): readonly string[] {
  return topics.map((topic) => `{${topic.name}:*}:messages`);
}
