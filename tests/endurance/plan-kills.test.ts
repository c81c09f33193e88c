import { Approvals } from '@signalbox/governance/approvals';
import { executeCall } from '@signalbox/governance/action-run';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { resumeAction } from '@signalbox/governance/resume-decision';
import { createLog } from '@signalbox/platform/log';
import { findPlan, type Plan } from '@signalbox/store/governance/plans';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { RunStore } from '@signalbox/store/turns/runs';
import plans from '@signalbox/worker/capabilities/plans';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import { followPlans } from '@signalbox/worker/turn/news/plan-news';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { scopeOfAda, shippedPolicy } from '../support/governance.ts';
import { Crash, openMortalPool } from '../support/mortal-pool.ts';
import { planGovernance, planGroup, type Change } from '../support/plan-field.ts';

/*
 * Two hundred generated plans. While a plan runs, its worker dies at a random statement or right behind a change, and another one goes
 * on; job services die with the run that they hold. The seed of a plan that went wrong is in the failure.
 */

const PLANS = 200;
/** Statements of a turn that runs a plan: a death beyond its last statement is none. */
const MAX_STATEMENTS = 60;
const MAX_DEATHS = 4;

interface Step {
  readonly tool: 'act' | 'act_blindly' | 'risk_it' | 'fail' | 'look' | 'work';
  readonly args: Readonly<Record<string, string | boolean>>;
  readonly if?: 'healthy' | 'done';
}

const log = createLog('test', 'silent');
let database: TestDatabase;
let pool: Pool;
let policy: Awaited<ReturnType<typeof shippedPolicy>>;
const changes: Change[] = [];
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, log, { name: 'test', max: 10, as: 'owner' });
  policy = await shippedPolicy();
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(
    `insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer'), ('2', 'telegram', 'Bob', 'operator')`,
  );
  await pool.query(`insert into settings (key, value) values ('approvals_chat', '{"chatKey": "telegram:-1009"}')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('two hundred plans whose workers and job services are killed anywhere run each step at most once, in order, and stop at the first surprise', async () => {
  const met = new Map<string, number>();
  let deaths = 0;
  for (let seed = 1; seed <= PLANS; seed += 1) {
    const random = randomOf(seed);
    const steps = generateSteps(random);
    const run = await survive(seed, steps, random);
    deaths += run.deaths;
    expect({ seed, steps, problems: await problemsOf(steps, run) }).toEqual({ seed, steps, problems: [] });
    met.set(run.plan.state, (met.get(run.plan.state) ?? 0) + 1);
    for (const { state } of run.plan.outcomes) met.set(state, (met.get(state) ?? 0) + 1);
  }
  const { rows } = await pool.query(`select 1 from actions where status = 'started'`);
  expect(rows).toEqual([]);
  // Every fate was met, or the kills were not where they should be.
  console.log(`${deaths} deaths: ${JSON.stringify(Object.fromEntries(met))}`);
  for (const fate of ['done', 'stopped', 'failed', 'not_met', 'unknown']) expect(met.get(fate) ?? 0).toBeGreaterThan(0);
  expect(deaths).toBeGreaterThan(PLANS);
}, 240_000);

interface Survived {
  readonly plan: Plan;
  readonly deaths: number;
  /** Ends of the plan that the person was told of, one for each turn that told one. */
  readonly told: readonly string[];
  readonly wasKilledAfterChange: boolean;
}

/** Runs a plan to its end, whoever dies meanwhile. */
async function survive(seed: number, steps: readonly Step[], random: () => number): Promise<Survived> {
  const actionId = `act_plan${seed}_0`;
  let deaths = 0;
  let wasKilledAfterChange = false;
  /** Does a turn again, with a new worker each time, until one has lived to its end. */
  const turn = async <T>(work: (deps: GovernanceDeps) => Promise<T>): Promise<T> => {
    for (;;) {
      const isMortal = deaths < MAX_DEATHS && random() < 0.8;
      const isAtChange = random() < 0.25;
      const at = isMortal && !isAtChange ? 1 + Math.floor(random() * MAX_STATEMENTS) : Number.MAX_SAFE_INTEGER;
      const worker = openMortalPool(pool, { at, when: random() < 0.5 ? 'before' : 'after' });
      const dieAtChange = (): void => {
        if (!isMortal || !isAtChange || worker.dead()) return;
        wasKilledAfterChange = true;
        worker.die();
        throw new Crash();
      };
      const groups = [planGroup(pool, changes, dieAtChange), plans];
      try {
        const result = await work(planGovernance(worker.pool, groups, policy));
        if (!worker.dead()) return result;
      } catch (error) {
        if (!worker.dead()) throw error;
      }
      deaths += 1;
    }
  };
  const said: string[] = [];
  const scope = (turnKey: string, isResumed: boolean) =>
    scopeOfAda({ turnKey, ...(isResumed ? { enter: createPhaseMachine().to } : {}) });
  const call = { actionId, tool: 'propose_plan', args: { steps }, groups: ['test', 'plans'] };
  const proposed = await turn((deps) => executeCall(deps, scope(`turn:${seed}`, false), call));
  if (isEnd(proposed.result)) said.push(proposed.say);
  const { rows: asked } = await pool.query<{ id: string }>(
    `select approval_id as id from approvals where action_id = $1`,
    [actionId],
  );
  for (const { id } of asked) {
    const by = { userKey: '2', name: 'Bob', role: 'operator' } as const;
    await withTransaction(pool, (db) => new Approvals(db).decide(policy, { approvalId: id, verb: 'approve', by }));
    const { rows } = await pool.query<{ envelope: Parameters<typeof resumeAction>[2] }>(
      `select envelope from inbox where kind = 'decision' and envelope ->> 'approvalId' = $1`,
      [id],
    );
    const [{ envelope }] = rows as [(typeof rows)[number]];
    const { result } = await turn((deps) => resumeAction(deps, scope(envelope.id, true), envelope));
    if (result && isEnd(result.result)) said.push(result.say);
  }
  for (;;) {
    await endRuns(actionId, steps, random);
    const [news] = await openNews();
    if (!news) break;
    const followed = await turn((deps) => followPlans(deps, scope(news.envelope.id, true), [news]));
    said.push(...followed.said);
    await pool.query(`update inbox set outcome = 'answered' where id = $1`, [news.id]);
  }
  const plan = await findPlan(pool, actionId);
  if (!plan) throw new Error(`the plan of seed ${seed} was never started: ${JSON.stringify(proposed)}`);
  return { plan, deaths, told: said, wasKilledAfterChange };
}

/** Ends the runs of a plan as its steps say; now and then the service that holds one dies, and another takes it over. */
async function endRuns(actionId: string, steps: readonly Step[], random: () => number): Promise<void> {
  const runs = new RunStore(pool);
  const { rows } = await pool.query<{ id: string }>(
    `select run_id as id from runs where status in ('queued', 'running') and starts_with(run_id, $1)`,
    [`${actionId}_s`],
  );
  for (const { id } of rows) {
    if (random() < 0.4) await runs.begin(id, 60_000);
    const begun = await runs.begin(id, 0);
    if (begun.kind !== 'held') continue;
    const ends = steps[Number(id.split('_s').at(-1)) - 1]?.args['ends'];
    const outcome = ends === 'failed' || ends === 'cancelled' ? ends : 'done';
    const result = outcome === 'done' ? { files: 0, passages: 0, changed: 0 } : null;
    if (outcome === 'cancelled') await runs.cancel(id, '1');
    const { recorded } = await runs.finish(begun.run, { outcome, result, error: null, say: `The work is ${outcome}.` });
    if (recorded) changes.push({ key: id, hadIntent: true });
  }
}

async function openNews(): Promise<readonly InboxMessage[]> {
  const { rows } = await pool.query<InboxMessage>(
    `select id::int, envelope from inbox where kind = 'job-finished' and outcome is null order by id`,
  );
  return rows;
}

/** What is not as it should be with a plan that has ended. */
async function problemsOf(steps: readonly Step[], run: Survived): Promise<readonly string[]> {
  const { plan, told, wasKilledAfterChange } = run;
  const wrong: string[] = [];
  const mine = changes.filter(({ key }) => key.startsWith(`${plan.planId}_s`));
  const numbers = mine.map(({ key }) => Number(key.split('_s').at(-1)));
  if (new Set(numbers).size !== numbers.length) wrong.push(`a step ran twice: ${numbers.join()}`);
  if (numbers.some((number, at) => at > 0 && number < (numbers[at - 1] ?? 0)))
    wrong.push(`out of order: ${numbers.join()}`);
  if (mine.some(({ hadIntent }) => !hadIntent)) wrong.push('a change had no committed intent');
  const states = plan.outcomes.map(({ state }) => state);
  const reached = states.length;
  if (plan.state === 'running') wrong.push('it never ended');
  if (states.slice(0, -1).some((state) => state !== 'done')) wrong.push(`it went on after ${states.join()}`);
  if (numbers.some((number) => number > reached)) wrong.push('a step ran behind the end');
  const isDone = reached === steps.length && states.at(-1) === 'done';
  if ((plan.state === 'done') !== isDone) wrong.push(`it is ${plan.state} with ${states.join()}`);
  const expected = expectedOf(steps);
  const isLost = states.at(-1) === 'unknown' && steps[reached - 1]?.tool === 'act_blindly';
  if (!isLost && states.join() !== expected.join()) wrong.push(`${states.join()} instead of ${expected.join()}`);
  if (isLost && !wasKilledAfterChange && run.deaths === 0) wrong.push('nobody died, and yet a step is unknown');
  if (told.length !== 1) wrong.push(`told ${told.length} times`);
  const { rows } = await pool.query<{ action_id: string }>(
    `select action_id from actions where parent_action_id = $1 and status not in ('done', 'failed', 'unknown')`,
    [plan.planId],
  );
  if (rows.length > 0) wrong.push(`left open: ${rows.map(({ action_id }) => action_id).join()}`);
  return wrong;
}

/** How the steps end when nobody dies. */
function expectedOf(steps: readonly Step[]): readonly string[] {
  const states: string[] = [];
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1];
    if (step.if === 'healthy' && before?.args['healthy'] !== true) return [...states, 'not_met'];
    if (step.tool === 'fail' || (step.tool === 'work' && step.args['ends'] !== 'done')) return [...states, 'failed'];
    states.push('done');
  }
  return states;
}

function generateSteps(random: () => number): readonly Step[] {
  const count = 2 + Math.floor(random() * 5);
  const steps: Step[] = [];
  for (let at = 0; at < count; at += 1) {
    const before = steps.at(-1);
    const condition = before?.tool === 'look' && random() < 0.7 ? { if: 'healthy' as const } : {};
    steps.push({ ...generateStep(random, `n${at}`), ...condition });
  }
  return steps;
}

function generateStep(random: () => number, name: string): Step {
  const dice = random();
  if (dice < 0.25) return { tool: 'act', args: { name } };
  if (dice < 0.4) return { tool: 'act_blindly', args: { name } };
  if (dice < 0.5) return { tool: 'risk_it', args: { name } };
  if (dice < 0.57) return { tool: 'fail', args: { name } };
  if (dice < 0.77) return { tool: 'look', args: { healthy: random() < 0.75 } };
  const badEnd = random() < 0.5 ? 'failed' : 'cancelled';
  return { tool: 'work', args: { ends: random() < 0.8 ? 'done' : badEnd } };
}

function isEnd(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'state' in result && result.state !== 'running';
}

/** A small generator (mulberry32): the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
