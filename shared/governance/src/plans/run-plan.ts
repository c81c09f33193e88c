import { AppError } from '@signalbox/contracts/errors';
import { makeStepId, type StepOutcome } from '@signalbox/contracts/governance/plan';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { getCurrentLanguage, runInLanguage } from '@signalbox/messages/language';
import { explainError, say, sayReason } from '@signalbox/messages/say';
import { noteRunEnd } from '@signalbox/store/governance/approval-cards';
import { findAction, type Proposal } from '@signalbox/store/governance/approvals';
import {
  addStepOutcome,
  endPlan,
  findPlan,
  putPlan,
  readStepWork,
  waitForStep,
  type Plan,
} from '@signalbox/store/governance/plans';
import { withTransaction } from '@signalbox/store/pool';
import type { CallScope, RunnableCall, ToolCallResult } from '../calls/call.ts';
import { readStoredResult } from '../calls/stored-result.ts';
import { decideFrozen } from '../deciding.ts';
import type { GovernanceDeps } from '../deps.ts';
import { toRunnableCall } from '../proposal.ts';
import { recordOutcome } from '../settling.ts';
import { describeStep } from './preview-plan.ts';
import { resolveAgain } from './resolve-steps.ts';
import { createPlanResult, sayProgress } from './say-plan.ts';

/** Why a step of a plan did not run. */
export interface StepSurprise {
  readonly surprise: 'changed' | 'refused';
  readonly say: string;
}

/** Runs a frozen step as an action of its own: see `ActionRun.runStep`. */
export type StepRunner = (
  call: RunnableCall,
  frozen: Proposal,
  findSurprise: () => Promise<Proposal | StepSurprise>,
) => Promise<ToolCallResult | StepSurprise>;

export interface PlanRun {
  readonly deps: GovernanceDeps;
  readonly scope: CallScope;
  readonly runStep: StepRunner;
}

/**
 * Starts a plan that policy or people allowed, and runs its steps as far as they go without waiting. In one transaction its action is
 * settled and the plan stored; a repetition goes on where the plan is.
 */
export async function startPlan(run: PlanRun, proposal: Proposal, call: RunnableCall): Promise<ToolCallResult> {
  const { deps, scope } = run;
  const { actionId } = call;
  const texts = await Promise.all((call.steps ?? []).map((step) => describeStep(deps, step.call)));
  const steps = (proposal.steps ?? []).map((step, at) => {
    const text = texts[at];
    const { what, change } = text === undefined || text instanceof AppError ? UNSEEN : text;
    return { ...step, what, change, language: getCurrentLanguage() };
  });
  const { threadId, chatKey, lane } = scope;
  const outcome: ToolCallResult = { ok: true, result: { plan: actionId }, say: '', code: null, changed: true };
  await withTransaction(deps.pool, async (db) => {
    await putPlan(db, lane, { planId: actionId, threadId, chatKey, steps });
    await recordOutcome(db, call, proposal, { status: 'done', outcome });
  });
  const plan = await runPlan(run, actionId, null);
  return createPlanResult(plan);
}

/**
 * Runs the steps of a plan, in order, until one waits for its run, one is a surprise, or all are done. Each step is an action whose id
 * follows from plan and step, and its outcome is stored once, so that another worker goes on anywhere. `news`: what the run of the waiting
 * step reported. Returns the plan as it then is.
 */
export async function runPlan(run: PlanRun, planId: string, news: string | null): Promise<Plan> {
  const { deps, scope } = run;
  for (;;) {
    const plan = await findPlan(deps.pool, planId);
    if (!plan) throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
    if (plan.state !== 'running') return plan;
    const step = plan.outcomes.length;
    const last = plan.outcomes.at(-1);
    if (step === plan.steps.length || (last && last.state !== 'done')) {
      await endPlan(deps.pool, scope.lane, { planId, turnKey: scope.turnKey });
      await showProgress(run, planId);
      continue;
    }
    const outcome = await takeStep(run, plan, news);
    if (outcome === null) {
      await showProgress(run, planId);
      return (await findPlan(deps.pool, planId)) ?? plan;
    }
    if (!(await addStepOutcome(deps.pool, scope.lane, { planId, step, outcome })))
      throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
  }
}

/** Takes the next step, or looks how the one that waits ended. Null while its run goes on. */
async function takeStep(run: PlanRun, plan: Plan, news: string | null): Promise<StepOutcome | null> {
  const { deps, scope } = run;
  const at = plan.outcomes.length;
  const planned = plan.steps[at];
  const actionId = makeStepId(plan.planId, at + 1);
  // What an earlier run started goes on as it was started.
  const frozen = (await findAction(deps.pool, actionId))?.proposal ?? planned?.proposal;
  const call = frozen && toRunnableCall(deps.tools, frozen);
  if (!planned || !frozen || !call) return surprise('changed', say('governance.toolChanged'));
  if (plan.waitsFor !== null) return readEnd(run, call, news);
  if (plan.isStopped) return surprise('stopped', say('governance.planStoppedByPerson'));
  const before = plan.outcomes.at(-1);
  if (planned.if !== 'done' && !before?.meets.includes(planned.if)) {
    const why = before?.say.replace(/[.。]$/, '') ?? '';
    const words = say('governance.planNotMet', { condition: planned.if, hasWhy: why !== '', why });
    return { ...surprise('not_met', words), isOutside: before?.isOutside === true };
  }
  const result = await run.runStep(call, frozen, () => findSurprise(run, plan, call));
  if ('surprise' in result) return surprise(result.surprise, result.say);
  if (!result.ok) return toOutcome(result);
  const work = await readStepWork(deps.pool, actionId);
  if (work === 'none' || (work === 'done' && !goesOn(result))) return toOutcome(result);
  await waitForStep(deps.pool, scope.lane, plan.planId, actionId);
  return readEnd(run, call, null);
}

/** What came of a step whose run went on; null while it still does. */
async function readEnd({ deps, scope }: PlanRun, call: RunnableCall, news: string | null): Promise<StepOutcome | null> {
  const work = await readStepWork(deps.pool, call.actionId);
  if (work === 'open') return null;
  if (work === 'cancelled')
    return { ...surprise('failed', news ?? say('governance.planCanceled')), isOutside: news !== null };
  if (work === 'failed') {
    const why = news ?? say('governance.planRunFailed');
    return { ...surprise('failed', firstLine(why)), isOutside: news !== null };
  }
  const probed = call.tool.probe
    ? await deps.tools.probe(scope, call)
    : (await deps.tools.run(scope, call, { isRead: true })).result;
  const outcome = typeof probed === 'object' ? toOutcome(probed) : surprise('done', '');
  // What the probe says is how the run began.
  return outcome.state === 'done' ? { ...outcome, say: firstLine(news ?? ''), isOutside: news !== null } : outcome;
}

/** Decides a step again under current rules, and looks whether it still is what was decided about. */
async function findSurprise(
  { deps, scope }: PlanRun,
  plan: Plan,
  call: RunnableCall,
): Promise<Proposal | StepSurprise> {
  const at = plan.outcomes.length;
  const planned = plan.steps[at];
  if (!planned) return { surprise: 'changed', say: say('governance.toolChanged') };
  const { proposal } = planned;
  const { resources, environment } = proposal.action;
  const earlier = plan.steps.slice(0, at).map((step) => step.proposal.action);
  const changed = earlier.flatMap((action) => {
    const own = deps.tools.find(action.tool, [action.group]);
    return own ? own.tool.alters(action.arguments, resources) : [];
  });
  // A look-up of its own: that of the approval may be older than the steps before.
  const anew = { ...call, actionId: `${call.actionId}_now` };
  const { why, resolved } = await resolveAgain({ deps, scope, call: anew }, changed);
  if (why !== null) return { surprise: 'changed', say: why };
  // What the plan itself changed at this place is no surprise.
  const isOwnPlace = earlier.some(
    (action) =>
      action.assessment.risk !== 'safe' && action.environment === environment && shares(action.resources, resources),
  );
  const shown = await runInLanguage(planned.language, () => describeStep(deps, call));
  if (shown instanceof AppError) return { surprise: 'changed', say: explainError(shown).replace(/\.$/, '') };
  const isSame = shown.what === planned.what && shown.change === planned.change;
  if (!isSame && !isOwnPlace) return { surprise: 'changed', say: say('governance.thingsChanged') };
  const now = await decideFrozen({ deps, scope, call }, deps.pool, proposal);
  // It runs with what the steps before have made of it.
  const action = { ...proposal.action, ...(resolved ? { resolved: asJson(resolved) } : {}) };
  return isCovered(proposal, now, coversRole(scope.actor.role, call.tool.role)) ?? { ...now, action };
}

/** Null when the rules of now allow the step, by itself or by the approval of its plan. */
function isCovered({ decision: then }: Proposal, { decision: now }: Proposal, mayRun: boolean): StepSurprise | null {
  if (!mayRun) return { surprise: 'refused', say: say('governance.mayNotAnyMore') };
  if (now.effect === 'deny') return { surprise: 'refused', say: sayReason(now.sentence) };
  const isSame =
    now.effect === then.effect &&
    now.rule === then.rule &&
    now.approval?.approvals === then.approval?.approvals &&
    now.approval?.role === then.approval?.role;
  return now.effect === 'run' || isSame
    ? null
    : { surprise: 'refused', say: say('governance.otherRule', { rule: now.rule }) };
}

function asJson(resolved: object): NonNullable<Proposal['action']['resolved']> {
  return JSON.parse(JSON.stringify(resolved)) as NonNullable<Proposal['action']['resolved']>; // resolved values are JSON
}

function shares(one: readonly string[], other: readonly string[]): boolean {
  return one.some((resource) => !resource.startsWith('environment:') && other.includes(resource));
}

/** Shows how far a plan is: on its approval card, or in the message of the plan. */
async function showProgress({ deps, scope }: PlanRun, planId: string): Promise<void> {
  const plan = await findPlan(deps.pool, planId);
  if (!plan) return;
  const { line, text } = sayProgress(plan);
  const chats = await withTransaction(deps.pool, (db) => noteRunEnd(db, planId, line));
  for (const chatKey of chats) await deps.notify(chatKey, scope.traceId);
  const key = `${planId}:plan:${plan.outcomes.length}:${plan.state}`;
  if (!plan.isOnCard) await scope.say(text, `plan:${planId}`, key);
}

function toOutcome(result: ToolCallResult): StepOutcome {
  const { ok, code, untrusted = false, meets = [] } = result;
  const failed = code === 'TOOL_OUTCOME_UNKNOWN' || code === 'TOOL_TIMED_OUT' ? 'unknown' : 'failed';
  return { state: ok ? 'done' : failed, say: firstLine(result.say), isOutside: untrusted, meets: [...meets] };
}

/** True when the tool did not wait for its run. */
function goesOn({ result, goesOn: isStarted }: ToolCallResult): boolean {
  const isLate = typeof result === 'object' && result !== null && 'state' in result && result.state === 'goes-on';
  return isLate || isStarted === true;
}

function surprise(state: StepOutcome['state'], words: string): StepOutcome {
  return { state, say: words, isOutside: false, meets: [] };
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 300);
}

const UNSEEN = { what: '', change: '' };

/**
 * Ends plans for which no run goes on, because the turn that ran them was stopped or failed. A step that was under way is told as it is in
 * the ledger; a plan whose step goes on as a run waits for that.
 */
export async function endIdlePlans(run: PlanRun, plans: readonly Plan[], why: string): Promise<readonly Plan[]> {
  const { deps, scope } = run;
  const ended: Plan[] = [];
  for (const { planId, outcomes } of plans) {
    const actionId = makeStepId(planId, outcomes.length + 1);
    const known = await findAction(deps.pool, actionId);
    if (known?.status === 'done' && (await readStepWork(deps.pool, actionId)) === 'open')
      await waitForStep(deps.pool, scope.lane, planId, actionId);
    else {
      const outcome = known
        ? toOutcome(readStoredResult(known.result, known.proposal?.action.tool ?? ''))
        : surprise('stopped', why);
      const step = outcomes.length;
      await addStepOutcome(deps.pool, scope.lane, { planId, step, outcome });
      ended.push(await runPlan(run, planId, null));
    }
  }
  return ended;
}
