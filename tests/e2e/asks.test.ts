import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOutside } from '@signalbox/contracts/governance/outside';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import { createObedientModels } from '../support/obedient-model.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

let stack: Stack;
let target: DeployTarget;
let developer: Person;
let ops: Person;
let second: Person;
const read: string[] = [];

beforeEach(async () => {
  read.length = 0;
  target = await openDeployTarget();
  const models = createObedientModels(['deploy', 'diagnose', 'memory', 'project_management'], (result) => {
    read.push(result);
  });
  stack = await openStack({ wiring: { groups: [deployGroup(target)], models: () => Promise.resolve(models) } });
  developer = await stack.person(1002, 'developer');
  ops = await stack.person(1003, 'operator');
  second = await stack.person(1004, 'operator');
  for (const one of [ops, second]) await one.ask('hello'); // whoever approves has to have written to us
  await developer.ask('DO create_project_intent {"name": "shop", "description": "the web shop"}');
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const asked = async (person: Person, tool: string, args: object = {}): Promise<string> =>
  // The order stands in the person's own words, as a clean reader has to find it.
  (await person.ask(`${tool.split('_')[0]} it. DO ${tool} ${JSON.stringify(args)}`)).join('\n');
const deploy = (version: string, environment: string): Promise<string> =>
  asked(developer, 'trigger_deploy', { project: 'shop', version, environment });
const newestRead = (): Record<string, unknown> =>
  (JSON.parse(read.at(-1) ?? '{}') as { result: Record<string, unknown> }).result;
const pending = async (): Promise<string> => {
  const { rows } = await stack.pool.query<{ id: string }>(
    `select approval_id as id from approvals where not by_requester order by requested_at desc limit 1`,
  );
  return rows[0]?.id ?? 'none';
};

const statusOf = async (id: string): Promise<string | undefined> =>
  (await stack.pool.query<{ status: string }>('select status from approvals where approval_id = $1', [id])).rows[0]
    ?.status;

describe('a request for approval', { timeout: 120_000 }, () => {
  beforeEach(async () => {
    await deploy('1.4.2', 'production');
    await ops.waitFor(/Deploy shop 1\.4\.2 to production/);
    await second.waitFor(/Deploy shop 1\.4\.2 to production/);
  });

  it('is shown to an approver with its asker, words, votes, and who may decide', async () => {
    await second.click('Approve');
    await ops.waitFor(/1 of 2/);
    const told = await asked(ops, 'show_request');
    expect(told).toMatch(/Deploy shop 1\.4\.2 to production, asked for by Ben: “trigger it\. DO/);
    expect(told).toMatch(/1 of 2 so far, .* left/);
    expect(told).toMatch(/role operator or above, such as Cleo\. Approved by Dara\./);
    const result = openOutside(newestRead());
    expect(result).toMatchObject({ request: await pending(), mine: false, asker: 'Ben', votes: 1, needed: 2 });
    expect(result).toMatchObject({ mayDecide: ['Cleo'], approvedBy: ['Dara'], role: 'operator' });
    // Words of another person stand in an envelope.
    expect(newestRead()['words']).toMatchObject({ outside: 'show_request' });
  });

  it('is unknown to other developers and viewers, whatever id they name', async () => {
    const id = await pending();
    for (const [number, role] of [
      [1005, 'developer'],
      [1006, 'viewer'],
    ] as const) {
      const other = await stack.person(number, role);
      expect(await asked(other, 'show_request')).toContain('No request that you may see here waits');
      expect(await asked(other, 'show_request', { request: id })).toContain(`I know no request ${id} that you may see`);
    }
  });

  it('is withdrawn by the words of its asker: all cards say so, and nobody can approve it any more', async () => {
    const id = await pending();
    expect(await asked(developer, 'withdraw_request')).toContain('Deploy shop 1.4.2 to production is withdrawn');
    for (const one of [developer, ops, second])
      await eventually(
        () => one.heard(),
        (all) => all.some(({ text, buttons }) => text.includes('🚫') && text.includes('1.4.2') && buttons === null),
      );
    const { rows } = await stack.pool.query(
      `select p.status, a.status as action, (select e.actor from audit_events e where e.kind = 'approval.voided' and e.approval_id = p.approval_id) as by
         from approvals p join actions a using (action_id) where p.approval_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ status: 'void', action: 'void', by: '1002' }]);
    expect(await asked(developer, 'withdraw_request')).toContain('No request that you may see here waits');
    // Once more, by its id, changes nothing.
    expect(await asked(developer, 'withdraw_request', { request: id })).toContain('is withdrawn');
    expect((await stack.pool.query(`select 1 from audit_events where kind = 'approval.voided'`)).rowCount).toBe(1);
  });

  it('that was decided first stays decided, and the asker is told by whom', async () => {
    const id = await pending();
    await ops.click('Reject');
    await ops.waitFor(/why do you reject/);
    await ops.click('Too risky');
    await eventually(
      () => statusOf(id),
      (status) => status === 'rejected',
    );
    const told = await asked(developer, 'withdraw_request', { request: id });
    expect(told).toMatch(/nothing left to withdraw: .*was rejected by Cleo .*Too risky/);
    expect(await asked(ops, 'withdraw_request', { request: id })).toContain('I know no request');
  });

  it('can be withdrawn during a freeze', async () => {
    const admin = await stack.person(1001, 'admin');
    await admin.ask('/freeze tests');
    expect(await asked(developer, 'withdraw_request')).toContain('is withdrawn');
  });
});

it('a person hears what they did lately, and nobody else does', { timeout: 120_000 }, async () => {
  await deploy('1.4.2', 'staging');
  await ops.waitFor(/Deploy shop 1\.4\.2 to staging/);
  await ops.click('Approve');
  const first = await pending();
  await eventually(
    () => statusOf(first),
    (status) => status === 'consumed',
  );
  await eventually(
    () => Promise.resolve(target.effects.length),
    (count) => count === 1,
  );
  await deploy('1.4.3', 'production');
  await ops.waitFor(/Deploy shop 1\.4\.3 to production/);
  await ops.click('Approve');
  await ops.waitFor(/1 of 2/);
  await developer.ask('/new');
  const told = await asked(developer, 'recent_history');
  expect(told.split('\n').filter(Boolean).slice(0, 5)).toEqual([
    'What you did, newest first:',
    expect.stringMatching(/we talked about/),
    expect.stringMatching(/^. \S+ s ago: .*1\.4\.3.* \(waits for a decision\)$/),
    expect.stringMatching(/^. \S+ s ago: .*1\.4\.2.* \(done\)$/),
    expect.stringMatching(/project.*shop.* \(done\)$/),
  ]);
  expect(await asked(developer, 'recent_history', { limit: 1 })).toContain('There is more before that.');
  expect(await asked(developer, 'recent_history', { since: '2999-01-01' })).toContain('nothing on record of you');
  const theirs = await asked(ops, 'recent_history');
  expect(theirs).toMatch(/you approved “.*1\.4\.3.*\n.*you approved “.*1\.4\.2/s);
  expect(theirs).not.toContain('the web shop');
});

describe('a remembered rule', () => {
  it('is forgotten by its words, once, and the audit says whose it was', async () => {
    await developer.ask('DO remember_fact {"fact": "production only before 16:00"}');
    await developer.ask('DO remember_fact {"fact": "the release manager is Ana"}');
    expect(await asked(developer, 'forget_fact', { words: 'the 17:00 rule' })).toMatch(
      /nothing such as “the 17:00 rule”\. 2\. the release manager is Ana; 1\. production only before 16:00/,
    );
    expect(await asked(ops, 'forget_fact', { number: 1 })).toContain('I remember nothing such as');
    expect(await asked(developer, 'forget_fact', { words: 'the 16:00 rule' })).toContain(
      'Forgotten (number 1): “production only before 16:00”.',
    );
    const { rows } = await stack.pool.query(
      `select actor, data ->> 'what' as what from audit_events where kind = 'memory.forgotten'`,
    );
    expect(rows).toEqual([{ actor: '1002', what: '1' }]);
    expect((await stack.pool.query('select n from memory_facts')).rows).toEqual([{ n: 2 }]);
  });

  it('is not told where others read', async () => {
    await developer.ask('DO remember_fact {"fact": "production only before 16:00"}');
    await developer.send('@signalbox_bot DO forget_fact {"number": 1}', { chat: 'ops' });
    await eventually(
      () => developer.heard('ops'),
      (all) => all.some(({ text }) => text.includes('only for your private chat')),
    );
    expect((await stack.pool.query('select n from memory_facts')).rows).toEqual([{ n: 1 }]);
  });
});
