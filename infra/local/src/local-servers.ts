import { join } from 'node:path';
import { sleep } from '@signalbox/contracts/time';
import type { LocalConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { startPostgres, type LocalServer } from './postgres/postgres.ts';
import { startRedis } from './redis/redis.ts';
import type { RedisUser } from './supervisor/service-logins.ts';

/**
 * Starts the Postgres and Redis that the configuration does not name, concurrently, and manages only those. A started Redis gets these
 * users. Throws SetupError; then none is left running.
 */
export async function startLocalServers(
  config: LocalConfig,
  redisUsers: readonly RedisUser[],
  report: (line: string) => void,
) {
  const openers = [
    ...(config.DATABASE_URL === undefined ? [{ name: 'Postgres', open: postgresOpener(config) }] : []),
    ...(config.REDIS_URL === undefined ? [{ name: 'Redis', open: redisOpener(config, redisUsers, report) }] : []),
  ];
  const results = await Promise.allSettled(
    openers.map(async ({ name, open }) => {
      const begin = Date.now();
      const server = await open();
      const how = server.adopted ? 'was left running, taken over' : `started in ${seconds(begin)}`;
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
    /** Stops the servers started here, Redis first. Idempotent. */
    stop,
    /** Kills the servers started here. */
    kill: (): void => running.forEach(({ server }) => server.kill()),
    /** Restarts servers that die, on the same port, until `signal` aborts. */
    watch: (signal: AbortSignal) => watchServers(running, report, signal),
  };
}

export type LocalServers = Awaited<ReturnType<typeof startLocalServers>>;

interface Running {
  readonly name: string;
  readonly open: (port: number) => Promise<LocalServer>;
  server: LocalServer;
}

async function watchServers(running: Running[], report: (line: string) => void, signal: AbortSignal): Promise<void> {
  const said = new Map<string, string>();
  // Equal problems are reported once: a full disk may last for hours.
  const sayOnce = (name: string, problem: string): void => {
    const [what = ''] = problem.split('\n'); // later lines are the server's log, with times
    if (said.get(name) !== what) report(`${name} cannot be started, it is tried again: ${problem}`);
    said.set(name, what);
  };
  for (;;) {
    await sleep(1_000, signal);
    if (signal.aborted) return;
    for (const entry of running) {
      const { name } = entry;
      if (entry.server.isRunning() || signal.aborted) continue;
      if (!said.has(name)) report(`${name} ended; it starts again`);
      try {
        entry.server = await entry.open(Number(new URL(entry.server.url).port));
        report(`${name} runs again`);
        said.delete(name);
      } catch (error) {
        sayOnce(name, describeError(error));
        await sleep(5_000, signal);
      }
    }
  }
}

function postgresOpener(config: LocalConfig): (port?: number) => Promise<LocalServer> {
  const dir = join(config.SIGNALBOX_DATA_DIR, 'postgres');
  return (port) => startPostgres({ dir, ...(port === undefined ? {} : { port }) });
}

function redisOpener(
  config: LocalConfig,
  users: readonly RedisUser[],
  report: (line: string) => void,
): (port?: number) => Promise<LocalServer> {
  const dir = join(config.SIGNALBOX_DATA_DIR, 'redis');
  const binDir = join(config.SIGNALBOX_DATA_DIR, 'redis-bin');
  return (port) =>
    startRedis({ dir, binDir, path: config.PATH, users, report, ...(port === undefined ? {} : { port }) });
}

function seconds(begin: number): string {
  return `${((Date.now() - begin) / 1000).toFixed(1)} s`;
}
