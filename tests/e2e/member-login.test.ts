import { DATABASE_SERVICES, getServiceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from '../integration/cli/terminal.ts';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// Every service logs in as a member of its own role who owns nothing: what it may not do, whoever has its password may not.
describe('services whose database login is only a member of their role', () => {
  let stack: Stack;
  let target: DeployTarget;
  let admin: Person;
  let ben: Person;
  let ops: Person;
  const thieves = new Map<ServiceWithLogin, pg.Client>();

  beforeAll(async () => {
    target = await openDeployTarget();
    stack = await openStack({
      jobs: true,
      wiring: { groups: [deployGroup(target)] },
      env: { AUDIT_CHECKPOINT_MS: '200' },
    });
    admin = await stack.person(1001, 'admin');
    ben = await stack.person(1002, 'developer');
    ops = await stack.person(1003, 'operator');
    for (const service of DATABASE_SERVICES) {
      const thief = new pg.Client({ connectionString: stack.wiring.databaseUrl(service) });
      await thief.connect();
      thieves.set(service, thief);
    }
  });
  afterAll(async () => {
    for (const thief of thieves.values()) await thief.end();
    await stack.close();
    await target.close();
  });

  it('can do all of their work: a change, an approval, a secret, a freeze, an audit checkpoint', async () => {
    await ops.ask('hello');
    // A pool closes connections that were idle for ten seconds, so all logins are seen only soon after the start.
    const { rows } = await stack.pool.query<{ usename: string }>(
      `select distinct usename from pg_stat_activity where datname = current_database() and application_name ~ '^signalbox-(gateway|worker|jobs)'`,
    );
    const logins = DATABASE_SERVICES.map(getServiceRole);
    expect(rows.map(({ usename }) => usename).toSorted()).toEqual(logins.toSorted());
    expect((await admin.ask('create a project called shop for the web shop')).join()).toMatch(/created the project/);
    expect((await ben.ask('deploy shop 1.4.2 to staging')).join()).toContain('needs approval');
    await ops.waitFor(/Deploy shop 1\.4\.2 to staging/);
    await ops.click('Approve');
    await ben.waitFor(/Approved by .* Deployed shop 1\.4\.2 to staging/);
    expect(target.effects).toHaveLength(1);
    expect((await ben.ask('/secret set token abcdefghijklmnop')).join()).not.toMatch(/went wrong|ref/i);
    await ops.ask('/freeze the pager rings');
    expect((await ben.ask('create a project called blog for news')).join()).toContain('rule');
    await ops.ask('/unfreeze');
    await eventually(isWhole, Boolean, 30_000);
  });

  it.each([
    ['update', `update audit_events set actor = '666'`],
    ['delete', 'delete from audit_events'],
    ['truncate', 'truncate audit_events cascade'],
    ['insert past the function', `insert into audit_events (kind, actor, data) values ('action.settled', '666', '{}')`],
    ['keep events from being sealed', 'delete from audit_unsealed'],
    ['change the order', 'update audit_chain set seq = seq + 10'],
    ['forge a checkpoint', 'delete from audit_checkpoints'],
    ['switch off triggers', 'alter table audit_events disable trigger all'],
    ['go round triggers', `set session_replication_role = 'replica'`],
    ['replace the function', `create or replace function audit_append(jsonb) returns void language sql as 'select 1'`],
    ['make a function of the same name elsewhere', 'create schema mine'],
    ['change history of deployments', 'delete from deployment_events'],
    ['note a migration', `delete from kysely_migration`],
    ['take the role that may what all may', 'set role signalbox_app'],
  ])('cannot %s with their own logins', async (_what, statement) => {
    const before = await events();
    for (const [service, thief] of thieves) {
      for (const role of ['reset role', `set role ${getServiceRole(service)}`]) {
        await thief.query(role);
        await expect(thief.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
    }
    expect(await events()).toEqual(before);
  });

  it.each<readonly [ServiceWithLogin, string, string]>([
    ['gateway', 'begin an action', `insert into actions (action_id) values ('act_1')`],
    ['gateway', 'change what was proposed', `update actions set arguments = '{}'`],
    ['gateway', 'claim an action', `update actions set epoch = 9, started_at = now()`],
    ['gateway', 'make an approval', `insert into approvals (approval_id) values ('apv_1')`],
    ['gateway', 'read what is sealed', 'select ciphertext from secrets'],
    ['gateway', 'start a job', `insert into runs (run_id) values ('run_1')`],
    ['gateway', 'change a server', `update servers set host_key = 'mine'`],
    ['gateway', 'seal the audit', `select audit_seal(1, '{}', '{}', 2)`],
    ['worker', 'make a person an admin', `update users set role = 'admin'`],
    ['worker', 'add a person', `insert into users (user_key, channel, name, role) values ('1', 'x', 'x', 'admin')`],
    ['worker', 'vote', `insert into approval_votes (approval_id, user_key, name) values ('a', '1', 'Ada')`],
    ['worker', 'lift a freeze', 'delete from settings'],
    ['worker', 'read what is sealed', 'select ciphertext from secrets'],
    ['worker', 'forget a secret', 'delete from secrets'],
    ['worker', 'see invitations', 'select * from invitations'],
    ['worker', 'seal the audit', `select audit_seal(1, '{}', '{}', 2)`],
    ['worker', 'sign the audit', `select audit_checkpoint(1, '', '', '', '', '')`],
    ['maintenance', 'see secrets', 'select handle from secrets'],
    ['maintenance', 'make a person an admin', `update users set role = 'admin'`],
    ['maintenance', 'vote', `insert into approval_votes (approval_id, user_key, name) values ('a', '1', 'Ada')`],
    ['maintenance', 'see variables of services', 'select value from service_variables'],
    ['agents', 'see secrets', 'select handle from secrets'],
    ['agents', 'read what people wrote', 'select envelope from inbox'],
    ['agents', 'see people', 'select name from users'],
    ['agents', 'see variables of services', 'select value from service_variables'],
    ['agents', 'decide an approval', `update approvals set status = 'approved'`],
    ['agents', 'vote', `insert into approval_votes (approval_id, user_key, name) values ('a', '1', 'Ada')`],
    ['agents', 'change an action', `update actions set status = 'started'`],
    ['agents', 'read conversations', 'select checkpoint from langgraph.checkpoints'],
    ['agents', 'change a deployment', `update deployments set state = 'queued'`],
    ['agents', 'lift a freeze', 'delete from settings'],
    ['deploy', 'decide an approval', `update approvals set status = 'approved'`],
    ['deploy', 'vote', `insert into approval_votes (approval_id, user_key, name) values ('a', '1', 'Ada')`],
    ['deploy', 'begin an action', `insert into actions (action_id) values ('act_1')`],
    ['deploy', 'make a person an admin', `update users set role = 'admin'`],
    ['deploy', 'put a secret of its own', `insert into secrets (user_key, handle) values ('1', 'secret:x')`],
    ['deploy', 'forget what a deployment went through', 'delete from deployment_events'],
    ['deploy', 'seal the audit', `select audit_seal(1, '{}', '{}', 2)`],
  ])('the login of %s cannot %s', async (service, _what, statement) => {
    const thief = thieves.get(service);
    await thief?.query('reset role');
    await expect(thief?.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('have no login that is a superuser, creates roles or databases, or bypasses row security', async () => {
    const { rows } = await stack.pool.query(
      `select rolname from pg_roles where (rolname = any ($1) or rolname like 'signalbox\\_%')
          and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)`,
      [DATABASE_SERVICES.map(getServiceRole)],
    );
    expect(rows).toEqual([]);
  });

  it('cannot grant themselves or their role a right: Postgres answers with a warning', async () => {
    for (const [service, thief] of thieves) {
      await thief.query('reset role');
      await thief.query(`grant all on audit_events to ${getServiceRole(service)}`).catch(() => undefined); // refused, or a warning
      const { rows } = await thief.query(
        `select has_table_privilege(r, 'audit_events', 'insert, update, delete, truncate, trigger') as may
           from unnest(array['signalbox_app', $1, current_user::text]) r`,
        [getServiceRole(service)],
      );
      expect(rows).toEqual([{ may: false }, { may: false }, { may: false }]);
    }
  });

  it('cannot become the owner of the tables, and the audit stays complete after all attempts', async () => {
    const { rows } = await stack.pool.query<{ owner: string }>(
      `select tableowner as owner from pg_tables where tablename = 'audit_events'`,
    );
    const become = `set role ${pg.escapeIdentifier(rows[0]?.owner ?? '')}`;
    for (const thief of thieves.values()) await expect(thief.query(become)).rejects.toMatchObject({ code: '42501' });
    await eventually(isWhole, Boolean, 30_000);
  });

  const events = async (): Promise<unknown> =>
    (await stack.pool.query('select count(*)::int as count, min(actor) as first from audit_events where true')).rows;

  /** Everything that was recorded is sealed, in an unbroken chain, as it verifies. */
  async function isWhole(): Promise<boolean> {
    const { rows } = await stack.pool.query<{ count: string }>('select count(*) from audit_events');
    const verify = openTerminal({ DATABASE_URL: stack.databaseUrl, ...stack.wiring.audit });
    const { code, out } = await verify('audit', 'verify');
    return code === 0 && out.includes(`${rows[0]?.count} events in order`);
  }
});
