import { findEndButton, hasFollowedLog } from '@signalbox/store/deploy/followed-logs';
import type { Queryable } from '@signalbox/store/pool';
import type { Plan } from './plan.ts';

/** Whether a message is nothing but the word that ends a followed log. */
export function isStopWord(text: string): boolean {
  return /^\s*(?:please )?stop(?: (?:it|that|the logs?|following(?: the logs?)?))?(?: please)?(?:\s*[.!]+)?\s*$/i.test(
    text,
  );
}

/** A press on Stop, and the word where a log is followed for that person, end it at once and are no message. */
export async function tryEndLog(db: Queryable, plan: Plan): Promise<Plan> {
  if (plan.answer !== null) return plan;
  const { press, verdict } = plan.admission;
  const { userKey, chatKey, text } = plan.envelope;
  if (press !== null && plan.pressed !== null) {
    const runId = await findEndButton(db, { ...press, chatKey: plan.pressed.chatKey });
    return runId === null ? plan : ends(plan, runId);
  }
  if (verdict !== 'message' || !isStopWord(text)) return plan;
  return (await hasFollowedLog(db, { userKey, chatKey })) ? ends(plan, null) : plan;
}

function ends(plan: Plan, runId: string | null): Plan {
  return {
    ...plan,
    answer: { kind: 'end-log', runId },
    admission: { ...plan.admission, verdict: 'answer', reason: 'log stopped', press: null },
  };
}
