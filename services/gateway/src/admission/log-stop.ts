import { findEndButton, hasFollowedLog } from '@signalbox/store/deploy/followed-logs';
import type { Queryable } from '@signalbox/store/pool';
import type { Plan } from './plan.ts';

/** True when a message is only a word that ends a followed log. */
export function isStopWord(text: string): boolean {
  return /^\s*(?:please )?stop(?: (?:it|that|the logs?|following(?: the logs?)?))?(?: please)?(?:\s*[.!]+)?\s*$/i.test(
    text,
  );
}

/** A press on Stop, or a stop word while the person follows a log, ends the log at once instead of becoming a message. */
export async function matchLogStop(db: Queryable, plan: Plan): Promise<Plan> {
  if (plan.answer !== null) return plan;
  const { press, verdict } = plan.admission;
  const { userKey, chatKey, text } = plan.envelope;
  if (press !== null && plan.pressed !== null) {
    const runId = await findEndButton(db, { ...press, chatKey: plan.pressed.chatKey });
    return runId === null ? plan : toLogEnd(plan, runId);
  }
  if (verdict !== 'message' || !isStopWord(text)) return plan;
  return (await hasFollowedLog(db, { userKey, chatKey })) ? toLogEnd(plan, null) : plan;
}

function toLogEnd(plan: Plan, runId: string | null): Plan {
  return {
    ...plan,
    answer: { kind: 'end-log', runId },
    admission: { ...plan.admission, verdict: 'answer', reason: 'log stopped', press: null },
  };
}
