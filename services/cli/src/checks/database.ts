import { readMigrationStatus } from '@signalbox/store/migrations/migration-status';
import type { Pool } from '@signalbox/store/pool';
import { findValue, listValues } from '@signalbox/store/sql';
import type { CommandContext } from '../command.ts';
import { formatCount } from '../table.ts';
import { createFailure, createOk, getReason, createWarning, type CheckResult } from './finding.ts';

const MIN_VERSION = 15;

/** Checks that Postgres answers, is recent enough and has all migrations. */
export async function checkDatabase({ config, database }: CommandContext): Promise<readonly CheckResult[]> {
  if (config.DATABASE_URL === undefined)
    return [
      createFailure('Postgres', 'DATABASE_URL is not set', 'Run `npm start` in this checkout, or set DATABASE_URL.'),
    ];
  try {
    const version = await readVersion(database());
    const found = `${version} at ${new URL(config.DATABASE_URL).host}`;
    const old = Number.parseInt(version, 10) < MIN_VERSION;
    const server = old
      ? createFailure('Postgres', found, `Use Postgres ${MIN_VERSION} or newer.`)
      : createOk('Postgres', found);
    return [
      server,
      await checkMigrations(database()),
      ...(await checkLogins(database())),
      ...(await checkPublicRights(database())),
    ];
  } catch (error) {
    return [createFailure('Postgres', `does not answer: ${getReason(error)}`, 'Start it, or correct DATABASE_URL.')];
  }
}

async function readVersion(pool: Pool): Promise<string> {
  const version = await findValue<string>(pool, 'unknown')`show server_version`;
  return version.replace(/ .*/, '');
}

/** Warns when running services share a login: an attacker in one of them then has the rights of all. */
async function checkLogins(pool: Pool): Promise<readonly CheckResult[]> {
  const logins = await listValues<string>(pool)`
    select min(usename) from pg_stat_activity
      where datname = current_database() and application_name ~ '^signalbox-(gateway|worker|jobs)'
     having count(distinct application_name) > 1 and count(distinct usename) = 1`;
  return logins.map((login) =>
    createWarning(
      'logins',
      `all services log in to Postgres as ${login}`,
      'Give each service a login of its own: see docs/logins.md.',
    ),
  );
}

/** Warns when every login may create tables, which could shadow Signalbox's tables. `migrate` revokes this right where it may. */
async function checkPublicRights(pool: Pool): Promise<readonly CheckResult[]> {
  const isOpen = await findValue(pool, false)`select has_database_privilege('public', current_database(), 'temporary')
    or has_schema_privilege('public', 'public', 'create')`;
  if (!isOpen) return [];
  const remedy =
    'As their owner: `revoke temporary on database … from public; revoke create on schema public from public`.';
  return [createWarning('rights', 'every login of the database may make tables in it', remedy)];
}

async function checkMigrations(pool: Pool): Promise<CheckResult> {
  const { applied, pending, unknown } = await readMigrationStatus(pool);
  if (pending.length > 0)
    return createFailure('migrations', `${pending.join(', ')} to run`, 'Run `npm run signalbox -- migrate`.');
  if (unknown.length > 0)
    return createFailure(
      'migrations',
      `${unknown.join(', ')} unknown here`,
      'A newer release uses this database: update this one.',
    );
  return createOk('migrations', `${formatCount(applied.length, 'migration')} applied, none to run`);
}
