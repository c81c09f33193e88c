import type { Redis } from '../redis.ts';

/*
 * The worker hands the bytes of a file that a person sent to a job, which puts them into a workspace. They are in Redis for the time of that
 * job, and in no table.
 */

const TTL_SECONDS = 120;

/** Stores a file for a job under this id. A repetition replaces it. */
export async function putHandedFile(redis: Redis, prefix: string, id: string, bytes: Uint8Array): Promise<void> {
  await redis.set(toKey(prefix, id), Buffer.from(bytes), 'EX', TTL_SECONDS);
}

/** Reads a handed file; null when its time is over. It stays, so that an interrupted job finds it again. */
export function readHandedFile(redis: Redis, prefix: string, id: string): Promise<Buffer | null> {
  return redis.getBuffer(toKey(prefix, id));
}

/** Removes a handed file. Twice is safe. */
export async function dropHandedFile(redis: Redis, prefix: string, id: string): Promise<void> {
  await redis.del(toKey(prefix, id));
}

function toKey(prefix: string, id: string): string {
  return `${prefix}handed:${id}`;
}
