import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepareKeyFiles } from '@signalbox/local/setup/key-files';
import { pickEnvironment } from '@signalbox/local/supervisor/service-variables';
import { isJobPool, wireServices, type WiredService } from '@signalbox/local/supervisor/service-wiring';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { REDIS_SERVICES, buildRedisUserRules, type RedisService } from '@signalbox/platform/redis-users';
import { inject } from 'vitest';
import { loadTestConfig } from './config.ts';
import { DEPARTURES, variablesOf } from './departures.ts';
import { keepUsers } from './redis.ts';
import { serviceUrl } from './service-login.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type Service = WiredService['service'];
/** What `npm start` draws: the people of a demo are at `/<key>/` of the page. */
export const START_KEY = 'start-of-all-tests'.padEnd(32, '0');
type Settings = Readonly<Record<string, string>>;

/** The surroundings that the services of one test have, as `npm start` makes them: see service-wiring.ts and departures.ts. */
export interface Wiring {
  /** The folder of everything that the services keep. */
  readonly dataDir: string;
  readonly pools: readonly RedisService[];
  /** How a service logs in to Postgres and to Redis. */
  databaseUrl(service: RedisService): string;
  redisUrl(service: RedisService): string;
  /** All that a service knows. `settings` are set besides; of both it gets what `npm start` lets it have. */
  env(service: Service, settings?: Settings): Settings;
  /** Where the audit's checkpoints and its key are, for the command line. */
  readonly audit: { readonly AUDIT_CHECKPOINT_DIR: string; readonly AUDIT_KEY_FILE: string };
  /** Takes the Redis users away. Twice is safe. */
  close(): Promise<void>;
}

export interface WiringOptions {
  /** The owner's address of the database, which only assertions and the migration use. */
  readonly databaseUrl: string;
  /** The administrator's address of a Redis. Default: the one that the tests share. */
  readonly redisUrl?: string;
  readonly prefix: string;
  readonly simulatorUrl?: string;
  /** What the test sets for every service that may have it. */
  readonly env?: Settings;
}

/** Makes the Redis users of one installation and says how each of its services is started. */
export async function openWiring(options: WiringOptions): Promise<Wiring> {
  const { prefix, env = {} } = options;
  const redisUrl = options.redisUrl ?? inject('redisUrl');
  const dataDir = makeTemporaryFolder('data');
  for (const folder of ['workspaces', 'repositories', 'targets', 'deploys', 'proxy'])
    mkdirSync(join(dataDir, folder), { mode: 0o700 });
  const id = randomBytes(4).toString('hex');
  const users = REDIS_SERVICES.map((service) => ({ service, name: `${service}-${id}`, password: `${id}${service}` }));
  const login = (address: string, username: string, password: string): string =>
    Object.assign(new URL(address), { username, password }).href;
  const redisLogin = (service: RedisService): string => login(redisUrl, `${service}-${id}`, `${id}${service}`);
  const databaseLogin = (service: RedisService): string => serviceUrl(options.databaseUrl, service);
  await keepUsers(
    redisUrl,
    users.map(({ service, name, password }) => ({ name, rules: buildRedisUserRules(service, password, prefix) })),
  );
  const { path } = loadTestConfig();
  const inherited = { PATH: path, ...variablesOf(DEPARTURES), REDIS_PREFIX: prefix, ...env };
  const wired = wireServices({
    dataDir,
    inherited,
    workers: 1,
    pagePort: 0,
    startKey: START_KEY,
    keys: prepareKeyFiles(dataDir),
    bubblewrap: {},
    simulatorUrl: options.simulatorUrl ?? 'http://127.0.0.1:9',
    loginOf: (service) => ({ DATABASE_URL: databaseLogin(service), REDIS_URL: redisLogin(service) }),
  });
  const envOf: Wiring['env'] = (service, settings = {}) => {
    const found = wired.find((one) => one.service === service);
    if (!found) throw new Error(`npm start has no service ${service}`);
    const set: Settings = { ...variablesOf(DEPARTURES), ...env, ...settings };
    const merged = pickEnvironment(service, found.env, set);
    // An empty setting takes the variable away.
    return Object.fromEntries(
      Object.entries(merged).flatMap(([name, value]) => (value && set[name] !== '' ? [[name, value]] : [])),
    );
  };
  return {
    dataDir,
    pools: wired.flatMap(({ service }) => (service !== 'proxy' && isJobPool(service) ? [service] : [])),
    databaseUrl: databaseLogin,
    redisUrl: redisLogin,
    env: envOf,
    audit: {
      AUDIT_CHECKPOINT_DIR: envOf('maintenance')['AUDIT_CHECKPOINT_DIR'] ?? '',
      AUDIT_KEY_FILE: envOf('maintenance')['AUDIT_KEY_FILE'] ?? '',
    },
    close: () =>
      dropUsers(
        redisUrl,
        users.map(({ name }) => name),
      ),
  };
}

async function dropUsers(redisUrl: string, names: readonly string[]): Promise<void> {
  const redis = openRedis(redisUrl, createLog('test', 'silent'));
  try {
    await redis.acl('DELUSER', ...names);
  } catch {
    // A Redis of the test's own is gone with its users.
  } finally {
    await closeRedis(redis);
  }
}
