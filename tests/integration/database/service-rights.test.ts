import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { discardPostgres, startPostgres } from '@signalbox/local/postgres/postgres';
import { openPool } from '@signalbox/store/pool';
import { setServicePasswords } from '@signalbox/store/migrations/service-logins';
import { SERVICE_RIGHTS, getServiceRole } from '@signalbox/store/migrations/service-rights';
import { createLog } from '@signalbox/platform/log';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { migrateWithSamples, samples } from '../../support/samples.ts';

const log = createLog('test', 'silent');
let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** Every right that a role of a service has in this database. */
async function grantedRights(): Promise<readonly string[]> {
  const { rows } = await owner.query<{ line: string }>(
    `select grantee || ' ' || table_name || ' ' || privilege_type as line from information_schema.role_table_grants
      where grantee like 'signalbox\\_%' and grantee <> 'signalbox_app' and table_schema = 'public'
     union select grantee || ' ' || table_name || '.' || column_name || ' ' || privilege_type
       from information_schema.role_column_grants
      where grantee like 'signalbox\\_%' and grantee <> 'signalbox_app' and table_schema = 'public' order by 1`,
  );
  return rows.map(({ line }) => line);
}

it('each table of a migration is listed in service-rights.ts, with its services or none', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'p')
        and relname not like 'kysely%' and relname not like 'migrations\\_of\\_%'`,
  );
  const named = new Set([
    ...Object.values(SERVICE_RIGHTS).flatMap(({ tables }) => Object.keys(tables)),
    ...samples.flatMap(({ tables = {} }) => Object.keys(tables)),
  ]);
  expect(rows.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

it('migrating again keeps the rights of every service, and revokes rights that were added by hand', async () => {
  const before = await grantedRights();
  await owner.query('grant all on secrets, users to signalbox_agents');
  await owner.query('grant update (role) on users to signalbox_worker');
  expect(await grantedRights()).not.toEqual(before);
  expect(await migrateWithSamples(database.url)).toEqual([]);
  expect(await grantedRights()).toEqual(before);
});

it('no role of a service may write to an audit table', async () => {
  const writes = (await grantedRights()).filter((line) => / audit_\S* (?!SELECT)/.test(line));
  expect(writes).toEqual([]);
});

it('a service takes its own database role when its login has that role, and otherwise the shared role', async () => {
  const [old, own] = [`old_${randomBytes(4).toString('hex')}`, `own_${randomBytes(4).toString('hex')}`];
  for (const [login, role] of [
    [old, 'signalbox_app'],
    [own, getServiceRole('gateway')],
  ] as const) {
    await owner.query(`create role ${login} login password '${login}'`);
    await owner.query(`grant ${role} to ${login}`);
  }
  const roleOf = async (login: string | null): Promise<unknown> => {
    const url = new URL(database.url);
    if (login !== null) Object.assign(url, { username: login, password: login });
    const pool = openPool(url.href, log, { name: 'test', max: 1, as: 'gateway' });
    try {
      return (await pool.query<{ role: string }>('select current_user as role')).rows[0]?.role;
    } finally {
      await pool.end();
    }
  };
  try {
    expect(await roleOf(null)).toBe('signalbox_gateway'); // one DATABASE_URL for all: the owner's
    expect(await roleOf(own)).toBe('signalbox_gateway');
    expect(await roleOf(old)).toBe('signalbox_app');
  } finally {
    for (const login of [old, own]) await owner.query(`drop role ${login}`);
  }
});

it('a new password is stored as a verifier only, and ends the previous password', async () => {
  // The roles of this server are those by which other tests log in meanwhile.
  const dir = join(makeTemporaryFolder('passwords'), 'postgres');
  const server = await startPostgres({ dir, settings: { fsync: 'off' } });
  const admin = new pg.Client({ connectionString: server.url });
  const logsIn = async (password: string): Promise<boolean> => {
    const url = Object.assign(new URL(server.url), { username: getServiceRole('agents'), password });
    const client = new pg.Client({ connectionString: url.href });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  };
  const none = {
    gateway: undefined,
    worker: undefined,
    maintenance: undefined,
    deploy: undefined,
    analysis: undefined,
  };
  const [first, second] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
  try {
    await migrateWithSamples(server.url);
    await setServicePasswords(server.url, { ...none, agents: first });
    expect(await logsIn(first)).toBe(true);
    await setServicePasswords(server.url, { ...none, agents: second });
    expect([await logsIn(first), await logsIn(second)]).toEqual([false, true]);
    await admin.connect();
    const { rows } = await admin.query<{ role: string }>(
      `select rolname as role from pg_roles where rolname like 'signalbox\\_%' and rolcanlogin and not rolsuper`,
    );
    expect(rows).toEqual([{ role: getServiceRole('agents') }]);
  } finally {
    await admin.end();
    await discardPostgres(dir);
  }
});
