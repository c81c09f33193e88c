import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { createPlanningModels, type WrittenStep } from '../support/plan-model.ts';
import { eventually } from '../support/until.ts';

// Several steps in one sentence, with the logins and policies of production: each test stands on those before.

const rollOut = (version: string): readonly WrittenStep[] => [
  { tool: 'trigger_deploy', args: { project: 'demo', version, environment: 'staging' } },
  { tool: 'check_service_health', args: { project: 'demo', environment: 'staging' } },
  { tool: 'trigger_deploy', args: { project: 'demo', version, environment: 'production' }, if: 'healthy' },
];
const PLANS = new Map<string, readonly WrittenStep[]>([
  ['put 1.1 on staging', rollOut('1.1')],
  ['put 1.0 on staging', rollOut('1.0')],
  [
    'set GREETING',
    [
      {
        tool: 'set_service_variable',
        args: { project: 'demo', environment: 'staging', name: 'GREETING', value: 'Hi' },
      },
      { tool: 'trigger_deploy', args: { project: 'demo', version: '1.0', environment: 'staging' } },
    ],
  ],
]);
PLANS.set('promote staging', [
  { tool: 'check_service_health', args: { project: 'demo', environment: 'staging' } },
  { tool: 'trigger_deploy', args: { project: 'demo', version: '1.1', environment: 'production' }, if: 'healthy' },
]);
const LONG = `Hi ${'there '.repeat(600)}`.trim();
PLANS.set('greet everywhere', [
  ...['staging', 'production'].flatMap((environment): readonly WrittenStep[] => [
    {
      tool: 'set_service_variable',
      args: { project: 'demo', environment, name: 'GREETING', value: LONG },
    },
    { tool: 'trigger_deploy', args: { project: 'demo', version: '1.0', environment } },
  ]),
  { tool: 'check_service_health', args: { project: 'demo', environment: 'production' } },
]);
const CALLS = new Map<string, WrittenStep>([
  ['register', { tool: 'register_demo_project', args: {} }],
  ['how far', { tool: 'show_plan', args: {} }],
]);

let demo: DemoStack;
beforeAll(async () => {
  const models = createPlanningModels(PLANS, CALLS);
  demo = await openDemoStack({}, undefined, { models: () => Promise.resolve(models) });
  await demo.people.cleo.ask('/whoami');
  await demo.people.dara.ask('/whoami');
  await demo.people.ben.ask('register the demo project');
}, 90_000);
afterAll(() => demo.close(), 60_000);

const deployments = async (): Promise<readonly string[]> =>
  (
    await demo.stack.pool.query<{ told: string }>(
      `select ref || ' ' || environment || ' ' || state as told from deployments order by requested_at`,
    )
  ).rows.map(({ told }) => told);
const plans = async () =>
  (
    await demo.stack.pool.query<{ state: string; steps: string[] }>(
      `select state, array(select o ->> 'state' from jsonb_array_elements(outcomes) o) as steps from plans order by started_at`,
    )
  ).rows;
const ended = (count: number) =>
  eventually(plans, (found) => found.length === count && found.every(({ state }) => state !== 'running'), 90_000);
/** Dara and Cleo approve the newest request. */
async function approve(): Promise<void> {
  const { cleo, dara } = demo.people;
  for (const person of [cleo, dara]) {
    await person.waitFor(/Plan of/);
    await person.clickAndWait('Approve');
  }
}

it('one card shows every step of a plan, and what each stands for', async () => {
  const { ben, cleo } = demo.people;
  const said = (await ben.ask('put 1.0 on staging, check it, and if it is healthy roll it to production')).join('\n');
  expect(said).toContain('Plan of 3 steps');
  const card = await cleo.waitFor(/Plan of 3 steps/);
  expect(card).toMatch(/1\. Deploy demo 1\.0 to staging/);
  expect(card).toMatch(/2\. Check the health of demo in staging/);
  expect(card).toMatch(/3\. Only if that is healthy: Deploy demo 1\.0 to production/);
  const { rows } = await demo.stack.pool.query(
    `select needed, role, status, card -> 'resolved' as resolved from approvals`,
  );
  expect(rows).toEqual([
    {
      needed: 2,
      role: 'operator',
      status: 'pending',
      resolved: {
        1: expect.objectContaining({ commit: expect.any(String) }),
        2: { call: expect.any(String) },
        3: expect.objectContaining({ commit: expect.any(String) }),
      },
    },
  ]);
  expect(await deployments()).toEqual([]);
});

it('an approved plan deploys to staging, checks it, and rolls it to production when it is healthy', async () => {
  const { ben } = demo.people;
  const before = (await ben.heard()).length;
  await approve();
  expect(await ended(1)).toEqual([{ state: 'done', steps: ['done', 'done', 'done'] }]);
  expect(await deployments()).toEqual(['1.0 staging succeeded', '1.0 production succeeded']);
  const told = await ben.waitFor(/^All 3 steps of the plan are done/);
  expect(told).toContain('Deploy demo 1.0 to production');
  const since = (await ben.heard()).slice(before).map(({ text }) => text);
  expect(since.filter((text) => text.startsWith('All 3 steps of the plan'))).toHaveLength(1);
  expect(await ben.ask('how far is it')).toEqual([expect.stringContaining('All 3 steps of the plan are done')]);
}, 120_000);

it('a plan whose staging is not healthy never touches production, and says so', async () => {
  const { ben } = demo.people;
  // The release before served too shortly for any probe: only how it began to serve is on record.
  await demo.stack.pool.query(`update services set health = null`);
  await ben.ask('put 1.1 on staging, check it, and if it is healthy roll it to production');
  await approve();
  expect((await ended(2))[1]).toEqual({ state: 'stopped', steps: ['done', 'done', 'not_met'] });
  expect((await deployments()).slice(2)).toEqual(['1.1 staging succeeded']);
  const told = await ben.waitFor(/It says: [^]*The plan stopped at step 3 of 3/);
  expect(told).toMatch(/the step before did not show that it is healthy: .*degraded.* is usual/);
  expect(told).toMatch(/✅ Deploy demo 1\.1 to staging/);
}, 120_000);

it('a check that has nothing to compare the answer time with lets no plan go on, and says what is missing', async () => {
  const { ben } = demo.people;
  await demo.stack.pool.query(`update services set health = null`);
  await demo.stack.pool.query(`update deployment_events set evidence = evidence - 'ms'`);
  await ben.ask('promote staging to production if it is healthy');
  await approve();
  expect((await ended(3))[2]).toEqual({ state: 'stopped', steps: ['done', 'not_met'] });
  const told = await ben.waitFor(/The plan stopped at step 2 of 2/);
  expect(told).toMatch(/The answer time cannot be compared: none of 1\.0\S*, which served before, is on record/);
  expect((await deployments()).filter((one) => one.startsWith('1.1 production'))).toEqual([]);
}, 60_000);

it('a plan that sets a variable and deploys runs unasked, and the deployment has the variable', async () => {
  const { ben } = demo.people;
  await ben.ask('set GREETING of demo in staging to Hi and then deploy 1.0 there');
  expect((await ended(4))[3]).toEqual({ state: 'done', steps: ['done', 'done'] });
  expect((await demo.stack.pool.query('select 1 from approvals')).rowCount).toBe(3);
  expect((await demo.visit('staging')).body).toMatchObject({ greeting: 'Hi' });
}, 120_000);

it('a long value of the first step hides neither the steps nor the values that follow it', async () => {
  const { ben, cleo } = demo.people;
  await ben.ask('greet everywhere');
  const card = await cleo.waitFor(/Plan of 5 steps/);
  const lines = card.split('\n').filter((line) => /^\d\. /.test(line));
  expect(lines).toEqual([
    expect.stringMatching(/^1\. Set GREETING of demo in staging/),
    expect.stringMatching(/^2\. Deploy demo 1\.0 to staging/),
    expect.stringMatching(/^3\. Set GREETING of demo in production/),
    expect.stringMatching(/^4\. Deploy demo 1\.0 to production/),
    expect.stringMatching(/^5\. Check the health of demo in production/),
  ]);
  expect(card).toMatch(/\n1\.value: Hi there[^]*⋯ \d+ more lines ⋯[^]*\n3\.value: Hi there[^]*⋯ \d+ more lines ⋯/);
  await ben.click('Withdraw');
});
