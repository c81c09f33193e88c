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
