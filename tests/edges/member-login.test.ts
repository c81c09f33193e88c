import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from '../integration/cli/terminal.ts';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';

// Every service logs in as a member of signalbox_app who owns nothing: what they may not do, whoever has their password may not.
describe('services that log in as a mere member of their role', () => {
  const auditDir = makeTemporaryFolder('audit');
  let stack: Stack;
  let target: DeployTarget;
  let admin: Person;
  let ben: Person;
  let ops: Person;
  let thief: pg.Client;

  beforeAll(async () => {
    target = await openDeployTarget();
    stack = await openStack({
      memberLogin: true,
      jobs: true,
      wiring: { groups: [deployGroup(target)] },
      env: { AUDIT_CHECKPOINT_DIR: auditDir, AUDIT_CHECKPOINT_MS: '200' },
    });
    admin = await stack.person(1001, 'admin');
    ben = await stack.person(1002, 'developer');
    ops = await stack.person(1003, 'operator');
    thief = new pg.Client({ connectionString: stack.serviceUrl });
    await thief.connect();
  });
  afterAll(async () => {
    await thief.end();
    await stack.close();
    await target.close();
  });

  it('do all of their work: a change, an approval, a secret, a freeze, a job that seals what was recorded', async () => {
    await ops.ask('hello');
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
    const { rows } = await stack.pool.query<{ usename: string }>(
      `select distinct usename from pg_stat_activity where datname = current_database() and application_name ~ '^signalbox-(gateway|worker|jobs)'`,
    );
    expect(rows).toEqual([{ usename: new URL(stack.serviceUrl).username }]);
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
  ])('cannot %s with the same login', async (_what, statement) => {
    const before = await events();
    for (const role of ['reset role', 'set role signalbox_app']) {
      await thief.query(role);
      await expect(thief.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
    expect(await events()).toEqual(before);
  });

  it('cannot give itself or its role a right: whoever may not gets a warning and nothing else', async () => {
    await thief.query('grant all on audit_events to signalbox_app');
    const { rows } = await thief.query(
      `select has_table_privilege(r, 'audit_events', 'insert, update, delete, truncate, trigger') as may
         from unnest(array['signalbox_app', current_user::text]) r`,
    );
    expect(rows).toEqual([{ may: false }, { may: false }]);
  });

  it('cannot become the owner, and what is recorded is whole after all of that', async () => {
    const { rows } = await stack.pool.query<{ owner: string }>(
      `select tableowner as owner from pg_tables where tablename = 'audit_events'`,
    );
    await expect(thief.query(`set role ${pg.escapeIdentifier(rows[0]?.owner ?? '')}`)).rejects.toMatchObject({
      code: '42501',
    });
    await eventually(isWhole, Boolean, 30_000);
  });

  const events = async (): Promise<unknown> =>
    (await stack.pool.query('select count(*)::int as count, min(actor) as first from audit_events where true')).rows;

  /** Everything that was recorded is sealed, in an unbroken chain, as the same login reads it. */
  async function isWhole(): Promise<boolean> {
    const { rows } = await stack.pool.query<{ count: string }>('select count(*) from audit_events');
    const verify = openTerminal({ DATABASE_URL: stack.serviceUrl, AUDIT_CHECKPOINT_DIR: auditDir });
    const { code, out } = await verify('audit', 'verify');
    return code === 0 && out.includes(`${rows[0]?.count} events in order`);
  }
});
