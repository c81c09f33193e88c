import { findRunToEnd, hasFollowedLog } from '@signalbox/store/deploy/followed-logs';
import type { Queryable } from '@signalbox/store/pool';
import type { AdmissionPlan } from './plan.ts';

/** True when a message says nothing but that a followed log shall stop. */
export function isStopWord(text: string): boolean {
  return /^\s*(?:please )?stop(?: (?:it|that|the logs?|following(?: the logs?)?))?(?: please)?(?:\s*[.!]+)?\s*$/i.test(
    text,
  );
}

/** Turns a press on Stop, or a stop word from a person who follows a log, into the end of that log. */
export async function matchLogStop(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  if (plan.answer !== null) return plan;
  const { press, verdict } = plan.admission;
  const { userKey, chatKey, text } = plan.envelope;
  if (press !== null && plan.pressed !== null) {
    const runId = await findRunToEnd(db, { ...press, chatKey: plan.pressed.chatKey });
    return runId === null ? plan : toLogEnd(plan, runId);
  }
  if (verdict !== 'message' || !isStopWord(text)) return plan;
  return (await hasFollowedLog(db, { userKey, chatKey })) ? toLogEnd(plan, null) : plan;
}

function toLogEnd(plan: AdmissionPlan, runId: string | null): AdmissionPlan {
  return {
    ...plan,
    answer: { kind: 'end-log', runId },
    admission: { ...plan.admission, verdict: 'answer', reason: 'log stopped', press: null },
  };
}
