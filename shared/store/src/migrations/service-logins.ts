import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { DATABASE_SERVICES, SERVICE_RIGHTS, getServiceRole, type ServiceWithLogin } from './service-rights.ts';
import { getMigrationTable, type PluginTables } from './plugin-tables.ts';
import { createRowSecuritySql, createJobPoolSql, listRowPolicies, RUN_RECIPIENT_FUNCTION } from './service-rows.ts';
import { createAuditKindsSql } from './service-kinds.ts';

const ROLES = ['public', 'signalbox_app', ...DATABASE_SERVICES.map(getServiceRole)];

/**
 * Revokes from everybody the rights that no service needs: temporary tables, own objects in the schema (which could shadow the
 * product's), and functions with the owner's rights, which services are granted by name. Idempotent. Rights that this login cannot revoke
 * stay, and `doctor` reports them.
 */
const CLOSE_TO_OTHERS = `do $$
declare
  role_name text;
  f regprocedure;
  database_name text;
begin
  foreach role_name in array array[${ROLES.map((role) => `'${role}'`).join(', ')}] loop
    continue when role_name <> 'public' and to_regrole(role_name) is null;
    begin
      if has_database_privilege(role_name, current_database(), 'temporary, create') then
        execute format('revoke temporary, create on database %I from %s', current_database(), role_name);
      end if;
      if has_schema_privilege(role_name, 'public', 'create') then
        execute format('revoke create on schema public from %s', role_name);
      end if;
    exception when insufficient_privilege then null; -- the database is another's
    end;
  end loop;
  -- What a server of our own has besides: a login of a service gets into these too.
  for database_name in select datname from pg_database where datname in ('postgres', 'template1')
      and pg_get_userbyid(datdba) = session_user and has_database_privilege('public', oid, 'temporary')
  loop
    begin
      execute format('revoke temporary on database %I from public', database_name);
    exception when internal_error then null; -- the migration of another database does it at this moment
    end;
  end loop;
  for f in select oid from pg_proc
    where prosecdef and pronamespace = 'public'::regnamespace and pg_has_role(proowner, 'usage')
      and has_function_privilege('public', oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', f);
    execute format('grant execute on function %s to signalbox_app', f);
  end loop;
end $$`;

/** Key of an advisory lock, chosen at random: concurrent grants on the same tables would fail, so the lock orders them. */
const RIGHTS_LOCK = 7_270_020;

/**
 * Gives each service exactly the rights of service-rights.ts and the rows of service-rows.ts, in one transaction. Creates missing roles.
 * Idempotent. Returns the services without a role, because this login may not create roles: these use `signalbox_app`, which has the
 * rights of all services.
 */
export async function grantServiceRights(
  ownerUrl: string,
  plugins: readonly PluginTables[] = [],
): Promise<readonly ServiceWithLogin[]> {
  return asOwner(ownerUrl, async (owner) => {
    const without: ServiceWithLogin[] = [];
    for (const service of DATABASE_SERVICES)
      if (!(await ensureRole(owner, getServiceRole(service)))) without.push(service);
    await owner.query('begin');
    await owner.query('select pg_advisory_xact_lock($1)', [RIGHTS_LOCK]);
    for (const statement of [
      createJobPoolSql(),
      createAuditKindsSql(),
      RUN_RECIPIENT_FUNCTION,
      createRowSecuritySql(plugins),
      CLOSE_TO_OTHERS,
    ])
      await owner.query(statement);
    for (const service of DATABASE_SERVICES) {
      if (without.includes(service)) continue;
      await owner.query(grantsOf(service, plugins).join('; '));
      await bindRows(owner, service, plugins);
    }
    await owner.query('commit');
    return without;
  });
}

/**
 * Lets the roles of these services log in with these passwords; earlier passwords become invalid. The server gets a SCRAM verifier, so
 * that no statement or log contains a password.
 */
export async function setServicePasswords(
  ownerUrl: string,
  passwords: Readonly<Record<ServiceWithLogin, string | undefined>>,
): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    for (const service of DATABASE_SERVICES) {
      const password = passwords[service];
      if (password === undefined) continue;
      const verifier = pg.escapeLiteral(scramVerifier(password));
      await owner.query(`alter role ${getServiceRole(service)} login password ${verifier}`);
    }
  });
}

/** Returns the name of the login that an installation creates for a service on a shared server. */
export function formatMemberLogin(service: ServiceWithLogin, installation: string): string {
  return `${getServiceRole(service)}_${installation}`;
}

/**
 * Creates a login of this installation for each service, or changes its password. The login is a member of the service's role and owns
 * nothing. `installation` consists of letters and digits. Throws Postgres's 42501 when this owner may not create logins.
 */
export async function setMemberLogins(
  ownerUrl: string,
  installation: string,
  passwords: Readonly<Record<ServiceWithLogin, string>>,
): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    for (const service of DATABASE_SERVICES) {
      const login = pg.escapeIdentifier(formatMemberLogin(service, installation));
      const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [
        formatMemberLogin(service, installation),
      ]);
      if (rowCount === 0) await owner.query(`create role ${login} login in role ${getServiceRole(service)}`);
      const verifier = pg.escapeLiteral(scramVerifier(passwords[service]));
      await owner.query(`alter role ${login} login password ${verifier}`);
    }
  });
}

function grantsOf(service: ServiceWithLogin, plugins: readonly PluginTables[]): readonly string[] {
  const role = getServiceRole(service);
  const { tables, functions } = SERVICE_RIGHTS[service];
  const theirs = plugins
    .flatMap((plugin) => Object.entries(plugin.tables))
    .flatMap(([table, by]) => (by[service] === undefined ? [] : [[table, by[service]] as const]));
  return [
    `revoke all on all tables in schema public from ${role}`,
    `revoke all on all functions in schema public from ${role}`,
    `grant usage on schema public to ${role}`,
    ...[...Object.entries(tables), ...theirs].map(
      ([table, privileges]) => `grant ${privileges} on public.${table} to ${role}`,
    ),
    ...functions.map((signature) => `grant execute on function public.${signature} to ${role}`),
    // `doctor` and readiness probes read which migrations ran.
    `grant select on public.kysely_migration to ${role}`,
    ...plugins.map(({ name }) => `grant select on public.${getMigrationTable(name)} to ${role}`),
  ];
}

/** Keeps existing policies: creating one waits for everybody who uses the table. A policy's comment contains its source. */
async function bindRows(owner: pg.Client, service: ServiceWithLogin, plugins: readonly PluginTables[]): Promise<void> {
  const role = getServiceRole(service);
  const { rows: standing } = await owner.query<{ name: string; table: string; made: string | null }>(
    `select p.polname as name, p.polrelid::regclass::text as "table", obj_description(p.oid, 'pg_policy') as made
       from pg_policy p where (select oid from pg_roles where rolname = $1) = any (p.polroles)`,
    [role],
  );
  const wanted = listRowPolicies(service, plugins).map((policy) => ({
    ...policy,
    made: `for ${policy.command} to ${role} ${policy.conditions}`,
  }));
  const isSame = (a: { name: string; table: string; made: string | null }, b: typeof a): boolean =>
    a.name === b.name && a.table === b.table && a.made === b.made;
  for (const old of standing) {
    if (!wanted.some((policy) => isSame(policy, old))) await owner.query(`drop policy ${old.name} on ${old.table}`);
  }
  for (const policy of wanted) {
    if (standing.some((old) => isSame(policy, old))) continue;
    await owner.query(`create policy ${policy.name} on public.${policy.table} ${policy.made}`);
    const comment = pg.escapeLiteral(policy.made);
    await owner.query(`comment on policy ${policy.name} on public.${policy.table} is ${comment}`);
  }
}

/** Creates a role that cannot log in, and makes the owner a member of the role. False when the owner may do neither. */
async function ensureRole(owner: pg.Client, role: string): Promise<boolean> {
  try {
    await owner.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null; -- another database of this server is being migrated right now
    end $$`);
    await owner.query(`do $$ begin
      set local role ${role}; reset role; -- the one way to ask that every version has
    exception when insufficient_privilege then execute format('grant ${role} to %I', session_user);
    end $$`);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '42501') return false;
    throw error;
  }
}

/** Computes a verifier as in RFC 5803, with Postgres's iteration count. Passwords are ASCII, which SASLprep does not change. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const rounds = 4096;
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const sign = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest();
  const parts = [salt, storedKey, sign('Server Key')].map((bytes) => bytes.toString('base64'));
  return `SCRAM-SHA-256$${rounds}:${parts[0]}$${parts[1]}:${parts[2]}`;
}

async function asOwner<T>(url: string, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000, query_timeout: 60_000 });
  owner.on('error', () => undefined);
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end().catch(() => undefined);
  }
}
