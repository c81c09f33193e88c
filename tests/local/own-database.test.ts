import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { DATABASE_SERVICES, getServiceRole } from '@signalbox/store/migrations/service-rights';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { createDatabase, openRawPool, type TestDatabase } from '../support/database.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// `npm start` with a Postgres that somebody else runs, whose address is the owner's.
const BOOTSTRAP = join(getCheckoutPath(), 'infra/local/bootstrap.mjs');
const START_MS = 120_000;

let database: TestDatabase;
const admin = openRawPool(inject('databaseUrl'));
beforeAll(async () => {
  database = await createDatabase('template0');
});
afterAll(async () => {
  await database.drop();
  await admin.end();
});

/** Runs `npm start` until it is ready or ends. The Redis of the tests serves it too. */
async function start(databaseUrl: string, dataDir: string) {
  const env = {
    PATH: loadTestConfig().path,
    SIGNALBOX_DATA_DIR: dataDir,
    SIMULATOR_PORT: String(await findFreePort()),
    GATEWAY_HTTP_PORT: String(await findFreePort()),
    MODEL: 'offline',
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: `o${randomBytes(4).toString('hex')}:`,
  };
  const child = spawn(process.execPath, [BOOTSTRAP, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await until(() => /Ctrl-C\n/.test(output) || child.exitCode !== null, START_MS);
  return {
    output,
    code: child.exitCode,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

test(
  "a start on the user's own database gives each service a login, and the next start reuses the logins",
  { timeout: 300_000 },
  async () => {
    const dataDir = makeTemporaryFolder('own-database');
    const seen: string[][] = [];
    const made: string[][] = [];
    for (let n = 1; n <= 2; n++) {
      const started = await start(database.url, dataDir);
      try {
        expect(started.output).toMatch(/^ready in /m);
        const { rows } = await admin.query<{ login: string }>(
          `select distinct usename as login from pg_stat_activity where datname = $1 and application_name ~ '^signalbox-(gateway|worker|jobs)'`,
          [new URL(database.url).pathname.slice(1)],
        );
        seen.push(rows.map(({ login }) => login).toSorted());
        const mark = /_[0-9a-f]{8}$/.exec(rows[0]?.login ?? '')?.[0] ?? 'none';
        const { rows: roles } = await admin.query<{ login: string }>(
          `select rolname as login from pg_roles where rolcanlogin and right(rolname, 9) = $1`,
          [mark],
        );
        made.push(roles.map(({ login }) => login).toSorted());
      } finally {
        await started.stop();
      }
    }
    const [first = [], second] = made;
    expect(first.map((login) => login.slice(0, -9))).toEqual(DATABASE_SERVICES.map(getServiceRole).toSorted());
    expect(second).toEqual(first);
    // A pool that has nothing to do may sleep; nobody else is connected.
    for (const logins of seen) expect(first).toEqual(expect.arrayContaining(logins));
    expect(seen[0]?.length).toBeGreaterThan(4);
    for (const login of first) await admin.query(`drop role ${login}`);
  },
);

test(
  "a start on the user's own database is refused with a remedy when its login cannot create logins",
  { timeout: 150_000 },
  async () => {
    const login = `owner_${randomBytes(4).toString('hex')}`;
    const own = await createDatabase('template0');
    const name = new URL(own.url).pathname.slice(1);
    await admin.query(`create role ${login} login password 'owner'`);
    await admin.query(`grant signalbox_app to ${login}`);
    await admin.query(`alter database ${name} owner to ${login}`);
    try {
      const owned = Object.assign(new URL(own.url), { username: login, password: 'owner' });
      const { output, code } = await start(owned.href, makeTemporaryFolder('own-database'));
      expect(output).toContain(`alter role "${login}" createrole`);
      expect(output).not.toMatch(/^ready in /m);
      expect(code).toBe(1);
    } finally {
      await own.drop();
      await admin.query(`drop role ${login}`);
    }
  },
);
