import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres, discardPostgres } from '@signalbox/local/postgres';
import { identifyProcess, isRunning, type ProcessIdentity } from '@signalbox/local/process-identity';
import { discardRedis, startRedis } from '@signalbox/local/redis';
import { migrate } from '@signalbox/shared/db/migrate';
import pg from 'pg';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { loadTestConfig, type TestConfig } from './config.ts';

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

interface Servers extends ProvidedContext {
  readonly stop: () => Promise<void>;
}

/** The two servers of a run, and how many test projects use them. */
interface SharedServers {
  readonly started: Promise<Servers>;
  users: number;
}

/** The database that every test file clones. */
const TEMPLATE = 'signalbox_template';

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
  await sweepLeftovers(root);
  const dir = join(root, String(process.pid));
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'owner.json'), JSON.stringify(identifyProcess(process.pid)));
  const stop = async (): Promise<void> => discardRun(dir);
  try {
    const [databaseUrl, redisUrl] = await Promise.all([openPostgres(config, dir), openRedis(config, dir)]);
    await createTemplate(databaseUrl);
    return { databaseUrl, redisUrl, runDir: dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openPostgres(config: TestConfig, dir: string): Promise<string> {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  // Nothing here outlives the run, so nothing has to reach the disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  return (await startPostgres({ dir: join(dir, 'postgres'), settings })).url;
}

async function openRedis(config: TestConfig, dir: string): Promise<string> {
  if (config.redisUrl !== undefined) return config.redisUrl;
  const binDir = join(config.dataDir, 'redis-bin');
  return (await startRedis({ dir: join(dir, 'redis'), binDir, path: config.path, report: console.log })).url;
}

async function createTemplate(databaseUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (rowCount === 0) await admin.query(`create database ${TEMPLATE}`);
  } finally {
    await admin.end();
  }
  const template = new URL(databaseUrl);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href);
}

/** A run that was killed could not stop its servers: the next one does, once it knows that the killer left nobody. */
async function sweepLeftovers(root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) {
    const dir = join(root, name);
    if (!(await isAbandoned(dir))) continue;
    await discardRun(dir);
  }
}

async function isAbandoned(dir: string): Promise<boolean> {
  try {
    // Written above by an earlier run of this file.
    const owner = JSON.parse(await readFile(join(dir, 'owner.json'), 'utf8')) as ProcessIdentity;
    return !isRunning(owner);
  } catch {
    return false; // no owner (yet): a run that is just beginning
  }
}

async function discardRun(dir: string): Promise<void> {
  const own = join(dir, 'own-redis');
  const redisDirs = existsSync(own) ? readdirSync(own).map((name) => join(own, name)) : [];
  await Promise.all([discardPostgres(join(dir, 'postgres')), ...[join(dir, 'redis'), ...redisDirs].map(discardRedis)]);
  rmSync(dir, { recursive: true, force: true });
}
