import { join } from 'node:path';
import { sleep } from '@signalbox/contracts/time';
import type { LocalConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { startPostgres, type LocalServer } from './postgres/postgres.ts';
import { startRedis } from './redis/redis.ts';
import type { RedisUser } from './supervisor/service-logins.ts';

/** Starts Postgres and Redis concurrently, except one with a configured URL. Throws SetupError; then neither is left running. */
export async function startLocalServers(
  config: LocalConfig,
  redisUsers: readonly RedisUser[],
  report: (line: string) => void,
) {
  const folderOf = (name: string): string => join(config.SIGNALBOX_DATA_DIR, name);
  const openPostgres = (port?: number): Promise<LocalServer> => startPostgres({ dir: folderOf('postgres'), port });
  const redis = { dir: folderOf('redis'), binDir: folderOf('redis-bin'), path: config.PATH, users: redisUsers, report };
  const openers = [
    ...(config.DATABASE_URL === undefined ? [{ name: 'Postgres', open: openPostgres }] : []),
    ...(config.REDIS_URL === undefined
      ? [{ name: 'Redis', open: (port?: number) => startRedis({ ...redis, port }) }]
      : []),
  ];
  const results = await Promise.allSettled(
    openers.map(async ({ name, open }) => {
      const begin = Date.now();
      const server = await open();
      const how = server.adopted
        ? 'was left running, taken over'
        : `started in ${((Date.now() - begin) / 1000).toFixed(1)} s`;
      report(`${name} ${how} (${new URL(server.url).host})`);
      return { name, open, server };
    }),
  );
  const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async (): Promise<void> => {
    for (const { server } of running.toReversed()) await server.stop();
  };
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const urlOf = (wanted: string): string | undefined => running.find(({ name }) => name === wanted)?.server.url;
  return {
    databaseUrl: config.DATABASE_URL ?? urlOf('Postgres') ?? '',
    redisUrl: config.REDIS_URL ?? urlOf('Redis') ?? '',
    /** Stops the started servers, Redis first. Idempotent. */
    stop,
    kill: (): void => running.forEach(({ server }) => server.kill()),
    /** Restarts servers that die, on the same port, until `signal` aborts. */
    watch: (signal: AbortSignal) => watchServers(running, report, signal),
  };
}

export type LocalServers = Awaited<ReturnType<typeof startLocalServers>>;

interface WatchedServer {
  readonly name: string;
  readonly open: (port: number) => Promise<LocalServer>;
  server: LocalServer;
}

async function watchServers(
  running: WatchedServer[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  /** The last reported problem by server name. */
  const reported = new Map<string, string>();
  // Reports a repeated problem once, because a full disk may last for hours.
  const reportOnce = (name: string, problem: string): void => {
    const [summary = ''] = problem.split('\n'); // later lines come from the server's log and contain times
    if (reported.get(name) !== summary) report(`${name} cannot be started, it is tried again: ${problem}`);
    reported.set(name, summary);
  };
  for (;;) {
    await sleep(1_000, signal);
    if (signal.aborted) return;
    for (const entry of running) {
      const { name } = entry;
      if (entry.server.isRunning() || signal.aborted) continue;
      if (!reported.has(name)) report(`${name} ended; it starts again`);
      try {
        entry.server = await entry.open(Number(new URL(entry.server.url).port));
        report(`${name} runs again`);
        reported.delete(name);
      } catch (error) {
        reportOnce(name, describeError(error));
        await sleep(5_000, signal);
      }
    }
  }
}
