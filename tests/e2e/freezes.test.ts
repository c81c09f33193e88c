import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import { openStack, type Stack } from '../support/stack.ts';

let stack: Stack;
let target: DeployTarget;
beforeAll(async () => {
  target = await openDeployTarget();
  stack = await openStack({ wiring: { groups: [deployGroup(target)] } });
});
afterAll(async () => {
  await stack.close();
  await target.close();
});

it('a freeze is lifted by whom its refusal names, and by nobody else', async () => {
  const admin = await stack.person(1001, 'admin');
  const developer = await stack.person(1002, 'developer');
  const operator = await stack.person(1003, 'operator');
  await admin.ask('create a project called shop for the web shop');
  await admin.ask('/freeze the sale');
  const deploy = async (): Promise<string> => (await developer.ask('deploy shop 1.4.2 to staging')).join('\n');
  const refused = await deploy();
  expect(refused).toContain('until an operator writes /unfreeze, or an admin /unfreeze break-glass');
  expect(target.effects).toEqual([]);
  expect((await developer.ask('/unfreeze')).join()).toMatch(/needs the role operator/);
  expect((await operator.ask('/unfreeze break-glass')).join()).toMatch(/needs the role admin/);
  expect(await deploy()).toBe(refused);
  expect((await operator.ask('/unfreeze')).join()).toContain('The freeze is lifted');
  expect(await deploy()).not.toContain('frozen');
});

it('a freeze in words is the freeze of the command: same people, same refusal, same record', async () => {
  const developer = await stack.person(1002, 'developer');
  const operator = await stack.person(1003, 'operator');
  const ask = async (who: typeof operator, text: string): Promise<string> => (await who.ask(text)).join('\n');
  expect(await ask(developer, 'freeze all changes')).toMatch(/operator/);
  expect(await ask(operator, 'freeze shop')).toContain('A freeze holds for all projects, not for shop alone');
  expect(await ask(operator, 'no deployments tonight')).toContain('I do not understand until when “tonight” is');
  expect(await ask(developer, 'deploy shop 1.4.2 to staging')).not.toContain('frozen');
  const said = await ask(operator, 'nobody may deploy until tomorrow at 9, because the provider is down');
  expect(said).toMatch(/Frozen: the provider is down\. Only reads run until .+, 09:00 \(.+\) or \/unfreeze/);
  expect(await ask(operator, '/freeze')).toContain('A freeze is in force already');
  expect(await ask(developer, 'deploy shop 1.4.2 to staging')).toContain('until an operator writes /unfreeze');
  expect(await ask(developer, 'lift the freeze')).toMatch(/operator/);
  expect(await ask(operator, 'deployments are allowed again')).toContain('The freeze is lifted');
  expect(await ask(operator, 'lift the freeze')).toContain('Nothing is frozen');
  const { rows } = await stack.pool.query(
    `select kind, actor, data ->> 'reason' as reason from audit_events where kind like 'freeze.%' order by event_id desc limit 2`,
  );
  const reason = 'the provider is down';
  expect(rows).toEqual([
    { kind: 'freeze.lifted', actor: '1003', reason },
    { kind: 'freeze.set', actor: '1003', reason },
  ]);
});

it('a freeze that has ended stops nothing, and the next one replaces it', async () => {
  const developer = await stack.person(1002, 'developer');
  const operator = await stack.person(1003, 'operator');
  await operator.ask('freeze everything for 2 hours');
  await stack.pool.query(
    `update settings set value = value || jsonb_build_object('until', now() - interval '1 minute') where key = 'freeze'`,
  );
  expect((await developer.ask('deploy shop 1.4.2 to staging')).join()).not.toContain('frozen');
  expect((await operator.ask('lift the freeze')).join()).toContain('Nothing is frozen');
  expect((await operator.ask('freeze everything')).join()).toContain('Only reads run until /unfreeze');
  expect((await developer.ask('deploy shop 1.4.2 to staging')).join()).toContain('until an operator writes');
});
