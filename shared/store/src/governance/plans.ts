import type { StepOutcome } from '@signalbox/contracts/governance/plan';
import { selectHeldLane, type Lane } from '../conversation/lane.ts';
import type { Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, sql } from '../sql.ts';
import type { PlannedStep } from './approvals.ts';

/** A step of a plan that runs. `what` and `change`: what people read about it before, in `language`. */
export interface RunningStep extends PlannedStep {
  readonly what: string;
  readonly change: string;
  readonly language: string;
}

export interface Plan {
  readonly planId: string;
  readonly userKey: string;
  readonly threadId: string;
  readonly steps: readonly RunningStep[];
  /** What came of the steps so far, in order. */
  readonly outcomes: readonly StepOutcome[];
  /** The action of the next step while its run goes on; otherwise null. */
  readonly waitsFor: string | null;
  readonly state: 'running' | 'done' | 'stopped';
  /** True after a /stop. */
  readonly isStopped: boolean;
  readonly startedAt: Date;
  /** The key of the turn that ended it. */
  readonly endedIn: string | null;
  /** True when an approval card shows how far it is. */
  readonly isOnCard: boolean;
}

/** What became of the run that an action started, as people see it; `none` without a run. */
export type StepWork = 'none' | 'open' | 'done' | 'failed' | 'cancelled';

const COLUMNS = sql`plan_id as "planId", user_key as "userKey", thread_id as "threadId", steps, outcomes, waits_for as "waitsFor", state,
  stop_at is not null as "isStopped", started_at as "startedAt", ended_in as "endedIn",
  exists (select from approvals a where a.action_id = plan_id) as "isOnCard"`;

/** Stores a plan that runs now. Idempotent; nothing is written when the lane is lost. */
export async function putPlan(
  db: Queryable,
  lane: Lane,
  plan: Pick<Plan, 'planId' | 'threadId' | 'steps'> & { readonly chatKey: string },
): Promise<void> {
  await db.query(sql`with held as (${selectHeldLane(lane)})
    insert into plans (plan_id, user_key, chat_key, thread_id, steps)
    select ${plan.planId}, ${lane.userKey}, ${plan.chatKey}, ${plan.threadId}, ${JSON.stringify(plan.steps)}::jsonb from held
    on conflict do nothing`);
}

/** How far a step (from 0) is: how it ended, or `never` when the plan ended before it. Pure. */
export function readStepState(
  { state, outcomes }: Pick<Plan, 'state' | 'outcomes'>,
  step: number,
): StepOutcome['state'] | 'running' | 'ahead' | 'never' {
  const ended = outcomes[step]?.state;
  if (ended !== undefined) return ended;
  if (state !== 'running') return 'never';
  return step === outcomes.length ? 'running' : 'ahead';
}

export function findPlan(db: Queryable, planId: string): Promise<Plan | null> {
  return findRow<Plan>(db)`select ${COLUMNS} from plans where plan_id = ${planId}`;
}

/** Lists a person's newest plans; those that run come first. */
export function listPlans(db: Queryable, userKey: string, limit: number): Promise<readonly Plan[]> {
  return listRows<Plan>(db)`select ${COLUMNS} from plans where user_key = ${userKey}
      order by state = 'running' desc, started_at desc limit ${limit}`;
}

/** Finds the plan whose step started this run; null when there is none. */
export function findPlanOfRun(db: Queryable, runId: string): Promise<Plan | null> {
  return findRow<Plan>(db)`select ${COLUMNS} from plans where plan_id = any (array(
      select regexp_replace(id, '_s[0-9]+$', '') from (
        select ${runId}::text as id union select payload ->> 'deploymentId' from runs where run_id = ${runId}) own where id ~ '_s[0-9]+$'))`;
}

/** Adds what came of the next step (from 0), once. False when another run of the turn did so, or the lane is lost. */
export function addStepOutcome(
  db: Queryable,
  lane: Lane,
  { planId, step, outcome }: { readonly planId: string; readonly step: number; readonly outcome: StepOutcome },
): Promise<boolean> {
  return hasRow(db)`with held as (${selectHeldLane(lane)})
    update plans set outcomes = outcomes || ${JSON.stringify([outcome])}::jsonb, waits_for = null
     where plan_id = ${planId} and state = 'running' and jsonb_array_length(outcomes) = ${step} and exists (select from held)`;
}

/** Notes that the plan waits for the run of its next step. */
export async function waitForStep(db: Queryable, lane: Lane, planId: string, actionId: string): Promise<void> {
  await db.query(sql`with held as (${selectHeldLane(lane)})
    update plans set waits_for = ${actionId} where plan_id = ${planId} and state = 'running' and exists (select from held)`);
}

/** Ends a running plan: as done when every step is. Nothing happens when it had ended, or the lane is lost. */
export async function endPlan(
  db: Queryable,
  lane: Lane,
  { planId, turnKey }: { readonly planId: string; readonly turnKey: string },
) {
  await db.query(sql`with held as (${selectHeldLane(lane)})
    update plans set state = case when jsonb_array_length(outcomes) = jsonb_array_length(steps) and outcomes -> -1 ->> 'state' = 'done'
                             then 'done' else 'stopped' end, waits_for = null, ended_at = clock_timestamp(), ended_in = ${turnKey}
     where plan_id = ${planId} and state = 'running' and exists (select from held)`);
}

export function readStepWork(db: Queryable, actionId: string): Promise<StepWork> {
  return findValue<StepWork>(db, 'none')`select work_of(${actionId})`;
}

/** Lists a person's running plans for which no run goes on: only a turn does. */
export function listIdlePlans(db: Queryable, userKey: string): Promise<readonly Plan[]> {
  return listRows<Plan>(db)`select ${COLUMNS} from plans
      where user_key = ${userKey} and state = 'running' and (waits_for is null or work_of(waits_for) <> 'open')`;
}

/** Ends these plans with a step whose outcome nobody knows, when their turn is given up. */
export async function endGivenUpPlans(db: Queryable, lane: Lane, outcome: StepOutcome): Promise<readonly Plan[]> {
  const idle = await listIdlePlans(db, lane.userKey);
  for (const { planId, outcomes } of idle) {
    await addStepOutcome(db, lane, { planId, step: outcomes.length, outcome });
    await endPlan(db, lane, { planId, turnKey: '' });
  }
  const ended = await Promise.all(idle.map(({ planId }) => findPlan(db, planId)));
  return ended.flatMap((plan) => plan ?? []);
}

/** Asks a person's plans to end before their next step. Returns how many run. */
export async function stopPlans(db: Queryable, userKey: string): Promise<number> {
  const { rowCount } = await db.query(sql`update plans set stop_at = coalesce(stop_at, clock_timestamp())
      where user_key = ${userKey} and state = 'running'`);
  return rowCount ?? 0;
}

/** True while a plan waits for this action's run. */
export function isAwaitedByPlan(db: Queryable, actionId: string): Promise<boolean> {
  return hasRow(db)`select 1 from plans where waits_for = ${actionId} and state = 'running'`;
}
