import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { discardRedis, startRedis } from '@signalbox/local/redis/redis';
import type { RedisUser } from '@signalbox/local/supervisor/service-logins';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { identifyProcess, sendSignal, waitForExit } from '@signalbox/local/supervisor/process-identity';
import { inject } from 'vitest';
import { loadTestConfig } from './config.ts';

/** A Redis of one test's own, to be killed and brought back on the same address. */
export interface OwnRedis {
  readonly url: string;
  /** Ends the process at once, as a power cut would. Answers when it is gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again, with what was on disk or, when `empty`, with nothing. */
  readonly restart: (options?: { readonly empty?: boolean }) => Promise<void>;
  /** Stops it and deletes its data. Twice is safe. */
  readonly stop: () => Promise<void>;
}

/** The users of each Redis of a test's own, by its address: a restart keeps them, as that of `npm start` does. */
const kept = new Map<string, readonly RedisUser[]>();

/** Lets these users in, now and after each restart. */
export async function keepUsers(url: string, users: readonly RedisUser[]): Promise<void> {
  const redis = openRedis(url, createLog('test', 'silent'));
  try {
    for (const { name, rules } of users) await redis.acl('SETUSER', name, ...rules);
  } finally {
    await closeRedis(redis);
  }
  kept.set(url, [...(kept.get(url) ?? []), ...users]);
}

/** Starts a Redis process for one test. `settings` are lines of redis.conf, such as `appendfsync always`. */
export async function startOwnRedis(settings: readonly string[] = []): Promise<OwnRedis> {
  const { dataDir, path } = loadTestConfig();
  const dir = join(inject('runDir'), 'own-redis', randomBytes(6).toString('hex'));
  const binDir = join(dataDir, 'redis-bin');
  let server = await startRedis({ dir, binDir, path, settings });
  const port = Number(new URL(server.url).port);
  const kill = async (): Promise<void> => {
    const identity = identifyProcess(server.pid);
    if (identity === null || !server.isRunning()) return;
    sendSignal(identity, 'SIGKILL', 'process');
    await waitForExit(identity, 5_000);
  };
  return {
    url: server.url,
    kill,
    restart: async ({ empty = false } = {}) => {
      await kill();
      if (empty) rmSync(join(dir, 'appendonlydir'), { recursive: true, force: true });
      server = await startRedis({ dir, binDir, path, settings, port, users: kept.get(server.url) ?? [] });
    },
    stop: () => discardRedis(dir),
  };
}
