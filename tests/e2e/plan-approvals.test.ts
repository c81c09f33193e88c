import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import { createPlanningModels } from '../support/plan-model.ts';
import { waitForCard } from '../support/pending-card.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// A plan is one request: whoever decides about it decides about exactly these steps.

const deploy = (version: string, environment: string) => ({
  tool: 'trigger_deploy',
  args: { project: 'shop', version, environment },
});
const PLANS = new Map([
  ['both places', [deploy('1.4.2', 'staging'), deploy('1.4.2', 'production')]],
  ['a plan in a plan', [deploy('1.4.2', 'staging'), { tool: 'propose_plan', args: { steps: [] } }]],
  [
    'healthy without a look',
    [deploy('1.4.2', 'staging'), { ...deploy('1.4.2', 'production'), if: 'healthy' as const }],
  ],
]);

let stack: Stack;
let target: DeployTarget;
let ben: Person;
let cleo: Person;
let dara: Person;
beforeAll(async () => {
  target = await openDeployTarget();
  const models = createPlanningModels(PLANS);
  stack = await openStack({
    jobs: true,
    wiring: { groups: [deployGroup(target)], models: () => Promise.resolve(models) },
  });
  ben = await stack.person(1002, 'developer');
  cleo = await stack.person(1003, 'operator');
  dara = await stack.person(1004, 'operator');
  for (const person of [cleo, dara]) await person.ask('/whoami');
}, 60_000);
afterAll(async () => {
  await stack.close();
  await target.close();
}, 60_000);

const approvals = async () =>
  (
    await stack.pool.query<{ status: string; hash: string; steps: string[] }>(
      `select status, hash, array(select jsonb_array_elements_text(card -> 'steps')) as steps from approvals order by requested_at`,
    )
  ).rows;
const effects = (): readonly string[] => target.effects.map(({ what }) => what);

/** Both operators approve the newest request, once its card stands in their chats. */
async function approve(): Promise<void> {
  for (const person of [cleo, dara]) {
    await waitForCard(stack.pool, person, 'Approve');
    await person.clickAndWait('Approve');
  }
}

it('a rejected plan runs none of its steps, and the reason reaches whoever asked', async () => {
  await ben.ask('deploy 1.4.2 to both places');
  await waitForCard(stack.pool, cleo, 'Reject');
  await cleo.clickAndWait('Reject');
  await cleo.ask('not on a Friday');
  expect(await ben.waitFor(/not on a Friday/)).toContain('Plan of 2 steps');
  expect((await approvals()).map(({ status }) => status)).toEqual(['rejected']);
  expect(effects()).toEqual([]);
});

it('a plan with one modified argument is another request, which somebody else has to approve', async () => {
  await ben.ask('deploy 1.4.2 to both places');
  await waitForCard(stack.pool, cleo, 'Modify');
  await cleo.clickAndWait('Modify');
  await cleo.ask('2.version: 1.4.3');
  const [, before, after] = await eventually(approvals, (found) => found.length === 3);
  expect([before?.status, after?.status]).toEqual(['modified', 'pending']);
  expect(after?.hash).not.toBe(before?.hash);
  expect(after?.steps[1]).toContain('Deploy shop 1.4.3 to production');
  await ben.waitFor(/Deploy shop 1\.4\.3 to production/);
  await waitForCard(stack.pool, ben, 'Withdraw');
  await ben.click('Withdraw');
  await eventually(approvals, (found) => found.at(-1)?.status === 'void');
  expect(effects()).toEqual([]);
});

it('a plan whose stored card or step was changed is void, and runs none of its steps', async () => {
  await ben.ask('/new');
  await ben.ask('deploy 1.4.2 to both places');
  await stack.pool.query(
    `update actions set proposal = jsonb_set(proposal, '{steps,1,proposal,action,arguments,version}', '"6.6.6"')
      where action_id = (select action_id from approvals where status = 'pending' order by requested_at desc limit 1)`,
  );
  await approve();
  await ben.waitFor(/no longer valid/);
  expect((await approvals()).at(-1)?.status).toBe('void');
  expect(effects()).toEqual([]);
});

it('an approved plan runs its steps in order, and everybody reads that it is done', async () => {
  await ben.ask('/new');
  await ben.ask('deploy 1.4.2 to both places');
  await approve();
  await ben.waitFor(/All 2 steps of the plan are done/);
  expect(effects()).toEqual(['shop 1.4.2 staging', 'shop 1.4.2 production']);
  expect(await dara.waitFor(/Result: All 2 steps of the plan are done/)).toContain('Plan of 2 steps');
});

it.each([
  ['a plan in a plan', /step 2: a plan holds no other plan|not valid: step 2/],
  ['healthy without a look', /step 2: the step before it has to measure the health/],
])('%s is refused before anybody is asked', async (words, refusal) => {
  const before = (await approvals()).length;
  expect((await ben.ask(words)).join('\n')).toMatch(refusal);
  expect(await approvals()).toHaveLength(before);
});
