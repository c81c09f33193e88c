import { toStepRunner } from '@signalbox/governance/action-run';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { runPlan, endIdlePlans } from '@signalbox/governance/plans/run-plan';
import { sayProgress } from '@signalbox/governance/plans/say-plan';
import { say } from '@signalbox/messages/say';
import { makeStepId } from '@signalbox/contracts/governance/plan';
import { findPlanOfRun, listIdlePlans, type Plan } from '@signalbox/store/governance/plans';
import type { InboxMessage } from '@signalbox/store/turns/lanes';

export interface PlanNews {
  /** The messages that are told: the end of a plan stands for that of its last run. */
  readonly batch: readonly InboxMessage[];
  /** Ends of runs after which their plan goes on, or has been told already. */
  readonly silent: readonly InboxMessage[];
  /** What the ended plans say. */
  readonly said: readonly string[];
  /** Actions of the ended plans. */
  readonly actions: readonly string[];
}

/** Goes on with each plan whose run ended. Repeating it in a resumed turn tells the same. */
export async function followPlans(
  deps: GovernanceDeps,
  scope: CallScope,
  messages: readonly InboxMessage[],
): Promise<PlanNews> {
  let news: PlanNews = { batch: [], silent: [], said: [], actions: [] };
  for (const message of messages) {
    const { envelope } = message;
    const found = envelope.kind === 'job-finished' ? await findPlanOfRun(deps.pool, envelope.runId) : null;
    if (envelope.kind !== 'job-finished' || found === null) {
      news = { ...news, batch: [...news.batch, message] };
      continue;
    }
    const run = { deps, scope, runStep: toStepRunner(deps, scope) };
    const plan = await runPlan(run, found.planId, envelope.say === '' ? null : envelope.say);
    const isTold = plan.state !== 'running' && plan.endedIn === scope.turnKey && !news.said.includes(textOf(plan));
    if (!isTold) {
      news = { ...news, silent: [...news.silent, message] };
      continue;
    }
    const text = textOf(plan);
    const outcome = plan.state === 'done' ? ('done' as const) : ('failed' as const);
    const told = {
      ...message,
      envelope: { ...envelope, runId: plan.planId, job: 'plan', outcome, say: text, isOwn: false },
    };
    news = {
      ...news,
      batch: [...news.batch, told],
      said: [...news.said, text],
      actions: [...news.actions, ...plan.steps.map((_, at) => makeStepId(plan.planId, at + 1))],
    };
  }
  return news;
}

/** Ends the person's plans that only this turn ran, because it was stopped or failed. Returns what they did. */
export async function endPlansOfTurn(
  deps: GovernanceDeps,
  scope: CallScope,
  isStop: boolean,
): Promise<readonly string[]> {
  const idle = await listIdlePlans(deps.pool, scope.lane.userKey);
  if (idle.length === 0) return [];
  const run = { deps, scope, runStep: toStepRunner(deps, scope) };
  const ended = await endIdlePlans(
    run,
    idle,
    say(isStop ? 'governance.planStoppedByPerson' : 'governance.planTurnFailed'),
  );
  return ended.map(textOf);
}

/** The maximum length of a message about the end of a run. */
const MAX_SAID = 4_000;

function textOf(plan: Plan): string {
  return sayProgress(plan).text.slice(0, MAX_SAID);
}
