import { afterEach, beforeEach, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

let stack: Stack;
let target: DeployTarget;
let operator: Person;
let sameOperator: Person;
let other: Person;

beforeEach(async () => {
  target = await openDeployTarget();
  stack = await openStack({ wiring: { groups: [deployGroup(target)] } });
  const admin = await stack.person(1001, 'admin');
  operator = await stack.person(1003, 'operator');
  other = await stack.person(1004, 'operator');
  await fetch(`${stack.simulatorUrl}/api/people`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 1010, name: 'Cleo at home', inGroup: true }),
  });
  sameOperator = await stack.person(1010);
  const [shown = ''] = await operator.ask('/link');
  await sameOperator.send(/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(shown)?.[0] ?? 'no code');
  await sameOperator.waitFor(/This account is/);
  await admin.ask('create a project called shop for the web shop');
  for (const person of [other, sameOperator]) await person.ask('/whoami');
  await admin.send('@signalbox_bot /approvals here', { chat: 'ops' });
  await eventually(
    () => admin.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('shown here')),
  );
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const untilAudited = (kind: string, count: number): Promise<unknown> =>
  eventually(
    async () => (await stack.pool.query('select 1 from audit_events where kind = $1', [kind])).rowCount,
    (found) => found === count,
  );

it('a second account of the requester can neither approve nor vote', async () => {
  await operator.ask('deploy shop 1.4.2 to production');
  await eventually(
    () => other.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('Deploy shop 1.4.2')),
  );
  await sameOperator.click('Approve', 'ops');
  await untilAudited('approval.click_refused', 1);
  expect(target.effects).toEqual([]);

  await other.click('Approve', 'ops');
  await untilAudited('approval.voted', 1);
  const { rows } = await stack.pool.query<{ authors: string[] }>('select authors from approvals');
  expect(rows).toEqual([{ authors: ['1003'] }]);
  expect(target.effects).toEqual([]);
});

it('a person who approves from two accounts has one vote', async () => {
  const developer = await stack.person(1002, 'developer');
  await developer.ask('deploy shop 1.4.2 to production');
  await eventually(
    () => other.heard('ops'),
    (heard) => heard.some(({ text }) => text.includes('Deploy shop 1.4.2')),
  );
  await operator.click('Approve', 'ops');
  await untilAudited('approval.voted', 1);
  await sameOperator.click('Approve', 'ops');
  await other.click('Approve', 'ops');
  await developer.waitFor(/Deployed shop 1\.4\.2 to production/);
  const { rows } = await stack.pool.query<{ user_key: string }>(
    'select user_key from approval_votes order by user_key',
  );
  expect(rows).toEqual([{ user_key: '1003' }, { user_key: '1004' }]);
});
