import type { Pool } from '@signalbox/store/pool';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { createLog } from '@signalbox/platform/log';

/** Something that may hold a secret: a row, a key of Redis, a line of a log. */
export interface Place {
  readonly where: string;
  readonly text: string;
}

/** Every row of every table, as text. Bytes come as hexadecimal digits. */
export async function readTables(pool: Pool): Promise<readonly Place[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const places: Place[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from "${name}" t`);
    for (const { text } of rows) places.push({ where: name, text });
  }
  return places;
}

/** Every key below a prefix with all that it holds. */
export async function readRedis(redisUrl: string, prefix: string): Promise<readonly Place[]> {
  const redis = openRedis(redisUrl, createLog('test', 'silent'));
  try {
    const keys = await redis.keys(`${prefix}*`);
    const places: Place[] = [];
    for (const key of keys)
      places.push({ where: `redis ${key}`, text: JSON.stringify([key, await readKey(redis, key)]) });
    return places;
  } finally {
    await closeRedis(redis);
  }
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return null; // gone since it was listed
    default:
      throw new Error(`nobody reads a ${type} of Redis here`);
  }
}

/** Where one of these stands, in whatever form: as it is, in JSON, in base 64 at any offset, percent-encoded, in hexadecimal. */
export function findLeaks(places: readonly Place[], secrets: readonly string[]): readonly string[] {
  const forms = secrets.map((secret) => ({ secret, forms: formsOf(secret) }));
  return places.flatMap(({ where, text }) =>
    forms.flatMap(({ secret, forms: all }) => (all.some((form) => text.includes(form)) ? [`${where}: ${secret}`] : [])),
  );
}

function formsOf(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ...new Set([
      secret,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(secret),
      hex,
      hex.toUpperCase(),
      ...inBase64(secret),
    ]),
  ];
}

/** What base 64 makes of it depends on what stands before and after: the part that does not, for each of three offsets. */
function inBase64(secret: string): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('x'.repeat(offset) + secret).toString('base64');
    const from = [0, 2, 3][offset] ?? 0;
    return encoded.slice(from, Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6));
  });
}
