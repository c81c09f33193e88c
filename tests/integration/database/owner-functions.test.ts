import { DATABASE_SERVICES, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';
import { migrateWithSamples } from '../../support/samples.ts';

const REFUSED = { code: '42501' };
const ADMINS_CHAT = 'telegram:1001';

// Functions that have the rights of the owner, and what somebody with a service's login can make of them.
let database: TestDatabase;
let owner: pg.Pool;
const thieves = new Map<ServiceWithLogin, pg.Client>();
const as = (service: ServiceWithLogin): pg.Client => {
  const found = thieves.get(service);
  if (!found) throw new Error(`no login for ${service}`);
  return found;
};

beforeAll(async () => {
  database = await createDatabase();
  owner = openRawPool(database.url);
  for (const service of DATABASE_SERVICES)
    thieves.set(service, new pg.Client({ connectionString: serviceUrl(database.url, service) }));
  for (const thief of thieves.values()) await thief.connect();
  // A command of the pool `agents` waited for a decision; its card stands in the chat of the person who asked.
  await owner.query(`
    insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
    values ('act_own', 'turn_1', 'thr_1', '1002', 'run_command', '{}', 1, 'waiting'),
           ('act_deploy', 'turn_1', 'thr_1', '1002', 'trigger_deploy', '{}', 1, 'started');
    insert into runs (run_id, job, payload, user_key, chat_key, trace_id)
    values ('act_own', 'workspace.run', '{}', '1002', 'telegram:1002', 'trc_1');
    insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
                           authors, card, expires_at)
    values ('apv_own', 'act_own', '1002', 'telegram:1002', 'thr_1', 'turn_1', 'trc_1', '', '', '', 1, 'operator', false, '{}', '{}', now())`);
});
afterAll(async () => {
  for (const thief of thieves.values()) await thief.end();
  await owner.end();
  await database.drop();
});

/** Writes as the bot into the chat of an admin, as the card of a request of its own. */
const writeToAdmin = (thief: pg.Client): Promise<unknown> =>
  thief.query(
    `insert into public.outbox (key, chat_key, slot, trace_id, priority, body)
     values ('apv_own:forged', $1, 'apv_own', 'trc_1', 0, '{"text": "Your approval is needed", "buttons": []}')`,
    [ADMINS_CHAT],
  );

it('no login of a service can create a temporary table, a type, a function or an operator', async () => {
  for (const thief of thieves.values())
    for (const statement of [
      'create temporary table outbox (chat_key text, slot text)',
      'create temporary sequence mine',
      'create table public.mine (a text)',
      'create domain public.mine as text',
      `create function public.starts_with(text, text) returns boolean language sql as 'select true'`,
      `create operator public.= (leftarg = text, rightarg = text, function = starts_with)`,
      'create schema mine',
    ])
      await expect(thief.query(statement)).rejects.toMatchObject(REFUSED);
});

it('no login of a service can create a temporary table in the databases postgres and template1', async () => {
  for (const name of ['postgres', 'template1']) {
    const url = Object.assign(new URL(serviceUrl(database.url, 'agents')), { pathname: `/${name}` });
    const thief = new pg.Client({ connectionString: url.href });
    await thief.connect();
    try {
      await expect(thief.query('create temporary table mine (x int)')).rejects.toMatchObject(REFUSED);
    } finally {
      await thief.end();
    }
  }
});

describe('in a database where every login may create temporary tables', () => {
  beforeAll(() =>
    owner.query(`do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`),
  );
  afterEach(() => as('agents').query('discard temp'));

  it('a temporary table named `outbox` does not let the pool `agents` write into the chat of an admin', async () => {
    const thief = as('agents');
    await thief.query('create temporary table outbox (chat_key text, slot text)');
    await thief.query(`insert into outbox values ($1, 'apv_own')`, [ADMINS_CHAT]);
    await thief.query('set search_path = pg_temp, public');
    await expect(writeToAdmin(thief)).rejects.toMatchObject(REFUSED);
    await thief.query('reset search_path');
    expect((await owner.query('select from outbox')).rowCount).toBe(0);
  });

  it('a temporary table cannot get a trigger that runs with the rights of the owner', async () => {
    const thief = as('agents');
    await thief.query('create temporary table mine (action_id text)');
    const { rows } = await owner.query<{ name: string }>(
      `select oid::regproc::text as name from pg_proc where prosecdef and prorettype = 'trigger'::regtype`,
    );
    expect(rows.map(({ name }) => name)).toContain('effect_noted');
    for (const { name } of rows) {
      const statement = `create trigger mine after insert on mine for each row execute function ${name}('action_id')`;
      await expect(thief.query(statement)).rejects.toMatchObject(REFUSED);
    }
  });

  it('the next migration revokes the right to make temporary tables or objects in the schema public', async () => {
    await owner.query('grant create on schema public to public');
    expect(await migrateWithSamples(database.url)).toEqual([]);
    for (const thief of thieves.values())
      for (const statement of ['create temporary table mine (a text)', 'create table public.mine (a text)'])
        await expect(thief.query(statement)).rejects.toMatchObject(REFUSED);
  });
});

it('only the login that runs actions can mark the effects of an action', async () => {
  for (const service of DATABASE_SERVICES.filter((one) => one !== 'worker'))
    await expect(as(service).query(`select effect_note('act_deploy', '{"forged": true}')`)).rejects.toMatchObject(
      REFUSED,
    );
  expect((await owner.query(`select from action_effects where action_id = 'act_deploy'`)).rowCount).toBe(0);
});

it('every SECURITY DEFINER function searches temporary tables last, and is granted to named roles only', async () => {
  const { rows } = await owner.query<{ name: string; path: string | null; everybody: boolean }>(
    `select p.oid::regprocedure::text as name, has_function_privilege('public', p.oid, 'execute') as everybody,
            (select substr(c, length('search_path=') + 1) from unnest(p.proconfig) c where starts_with(c, 'search_path=')) as path
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  expect(rows.length).toBeGreaterThan(7);
  const schemas = (path: string | null): readonly string[] => path?.split(', ') ?? [];
  expect(rows.filter(({ path }) => schemas(path).at(-1) !== 'pg_temp' || schemas(path)[0] !== 'pg_catalog')).toEqual(
    [],
  );
  expect(rows.filter(({ everybody }) => everybody)).toEqual([]);
});
