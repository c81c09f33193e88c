import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalConfig, SAMPLE_AGENTS } from '@signalbox/local/config';
import { migrateDatabase } from '@signalbox/local/postgres/migrate-database';
import { startPostgres, type LocalServer } from '@signalbox/local/postgres/postgres';
import { startRedis } from '@signalbox/local/redis/redis';
import { prepareKeyFiles } from '@signalbox/local/setup/key-files';
import {
  listDatabasePasswords,
  createLoginBuilder,
  describeRedisUsers,
  createPasswords,
} from '@signalbox/local/supervisor/service-logins';
import { wireServices, type WiredService } from '@signalbox/local/supervisor/service-wiring';
import { loadTestConfig } from './config.ts';

type Settings = Readonly<Record<string, string>>;

/** Postgres and Redis of a measurement with their normal settings, and how services are started on them: as `npm start` does it. */
export interface BenchServers {
  readonly postgres: LocalServer;
  readonly redis: LocalServer;
  /** All that a service knows, and `settings`, which the measurement sets besides. */
  env(service: WiredService['service'], settings?: Settings): Settings;
  stop(): Promise<void>;
}

/** Starts them in `dir`, with the product's tables and a login for each service. */
export async function startBenchServers(dir: string, simulatorUrl: string | null): Promise<BenchServers> {
  const { dataDir, path } = loadTestConfig();
  const home = join(dir, 'data');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const passwords = createPasswords();
  const users = describeRedisUsers(passwords);
  const postgres = await startPostgres({ dir: join(dir, 'postgres') });
  const redis = await startRedis({ dir: join(dir, 'redis'), binDir: join(dataDir, 'redis-bin'), path, users });
  await migrateDatabase(postgres.url, { AGENTS: SAMPLE_AGENTS, ...listDatabasePasswords(passwords) });
  const config = LocalConfig.parse({ SIGNALBOX_DATA_DIR: home });
  const services = wireServices({
    dataDir: home,
    inherited: { PATH: path, GATEWAY_CHANNELS: 'telegram' },
    workers: 1,
    pagePort: 0,
    startKey: 'bench'.padEnd(32, '0'),
    keys: prepareKeyFiles(home),
    bubblewrap: {},
    simulatorUrl,
    loginOf: createLoginBuilder(config, { databaseUrl: postgres.url, redisUrl: redis.url }, passwords),
  });
  return {
    postgres,
    redis,
    env: (wanted, settings = {}) => {
      const { env = {} } = services.find(({ service }) => service === wanted) ?? {};
      const merged = { ...env, PROBE_PORT: '0', ...settings };
      return Object.fromEntries(Object.entries(merged).flatMap(([name, value]) => (value ? [[name, value]] : [])));
    },
    stop: async () => {
      await redis.stop();
      await postgres.stop();
    },
  };
}
