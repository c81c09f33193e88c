import { existsSync, rmdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type LocalServer } from '@signalbox/local/postgres/postgres';
import { getCheckoutPath, hashPath } from '@signalbox/local/checkout';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import { startRedis } from '@signalbox/local/redis/redis';
import { setServicePasswords } from '@signalbox/store/migrations/service-logins';
import { DATABASE_SERVICES } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { CLONE_LOCK } from './clone-lock.ts';
import { loadTestConfig, type TestConfig } from './config.ts';
import { discardRun, makeRunFolder, sweepLeftovers } from './leftovers.ts';
import { servicePassword } from './service-login.ts';
import { migrateWithSamples } from './samples.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres on which the tests may create databases, as its administrator. */
    databaseUrl: string;
    /** The Redis that the tests of a run share; each test uses a key prefix of its own. */
    redisUrl: string;
    /** A folder of this run, deleted at its end; servers below `own-redis` are stopped then. */
    runDir: string;
  }
}

interface Servers extends Pick<ProvidedContext, 'databaseUrl' | 'redisUrl' | 'runDir'> {
  readonly stop: () => Promise<void>;
}

/** The two servers of a run, and how many test projects use them. */
interface SharedServers {
  readonly started: Promise<Servers>;
  users: number;
}

type Passwords = Parameters<typeof setServicePasswords>[1];

/** The database that every test file clones. */
const TEMPLATE = 'signalbox_template';

/** Nothing here outlives the run, so nothing has to reach the disk. */
const POSTGRES_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  max_wal_size: '256MB',
};

/** A file system in memory. A test clones a database of about a thousand files: 20 ms there, half a second on a disk. */
const MEMORY = '/dev/shm';
/** What it must have free: containers often give it 64 MB. */
const MEMORY_NEEDED_BYTES = 3 * 1024 ** 3;

/** Vitest loads this file anew for every project of a run; the process is what they have in common. */
const SHARED = Symbol.for('signalbox.test.servers');

/** Starts one Postgres and one Redis for the whole run; the last project to finish stops them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Only this function writes the symbol, always with this type.
  const home = globalThis as { [SHARED]?: SharedServers };
  const shared = (home[SHARED] ??= { started: startServers(loadTestConfig()), users: 0 });
  shared.users += 1;
  const servers = await shared.started;
  project.provide('databaseUrl', servers.databaseUrl);
  project.provide('redisUrl', servers.redisUrl);
  project.provide('runDir', servers.runDir);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete home[SHARED];
    await servers.stop();
  };
}

async function startServers(config: TestConfig): Promise<Servers> {
  const root = join(config.dataDir, 'test');
  const databaseRoot = memoryFolder() ?? join(config.dataDir, 'test-databases');
  for (const one of [root, databaseRoot]) await sweepLeftovers(one, console.warn);
  const [dir, databaseDir] = [makeRunFolder(root), makeRunFolder(databaseRoot)];
  const started: LocalServer[] = [];
  // Ctrl-C ends the run without a teardown; the servers must not stay. Their files go with the next run's sweep.
  const endAtOnce = (): void => started.forEach((server) => server.kill());
  process.once('exit', endAtOnce);
  const stop = async (): Promise<void> => {
    await Promise.all([dir, databaseDir].map(discardRun));
    removeEmpty(databaseRoot);
    process.off('exit', endAtOnce);
  };
  const open = async (given: string | undefined, start: () => Promise<LocalServer>): Promise<string> => {
    if (given !== undefined) return given;
    const server = await start();
    started.push(server);
    return server.url;
  };
  try {
    const [databaseUrl, redisUrl] = await Promise.all([
      open(config.databaseUrl, () =>
        startPostgres({ dir: join(databaseDir, 'postgres'), settings: POSTGRES_SETTINGS }),
      ),
      open(config.redisUrl, () => startRedis({ dir: join(dir, 'redis'), ...redisPlace(config), report: console.log })),
    ]);
    await createTemplate(databaseUrl);
    return { databaseUrl, redisUrl, runDir: dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another run of this checkout uses it, or has removed it.
  }
}

/** Where the databases of this checkout's runs lie in memory; null where there is not enough of it. */
function memoryFolder(): string | null {
  if (!existsSync(MEMORY)) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MEMORY_NEEDED_BYTES ? null : join(MEMORY, `signalbox-${hashPath(getCheckoutPath())}`);
}

function redisPlace(config: TestConfig): { readonly binDir: string; readonly path: string } {
  return { binDir: join(config.dataDir, 'redis-bin'), path: config.path };
}

async function createTemplate(databaseUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    await admin.query('select pg_advisory_lock($1)', [CLONE_LOCK]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (rowCount === 0) await admin.query(`create database ${TEMPLATE}`);
    const template = new URL(databaseUrl);
    template.pathname = `/${TEMPLATE}`;
    // What `signalbox migrate` does, but for the event in the audit, which tests begin empty.
    await migrateWithSamples(template.href);
    const owner = new pg.Pool({ connectionString: template.href, max: 2 });
    await createCheckpointTables(owner);
    await owner.end();
    const passwords = DATABASE_SERVICES.map((service) => [service, servicePassword(databaseUrl, service)]);
    await setServicePasswords(template.href, Object.fromEntries(passwords) as Passwords); // one for each service of the list
  } finally {
    await admin.end(); // the session's end releases the lock
  }
}
