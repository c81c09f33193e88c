import { approvalEvent, findApproval, recordApproval } from '@signalbox/store/governance/approvals';
import { findAct, findPrompt } from './approval-prompts.ts';
import type { Queryable } from '@signalbox/store/pool';
import type { Plan } from './plan.ts';

/** A press on a card decides, and is no message. One that does not come from where the card stands is refused and written down. */
export async function tryAct(db: Queryable, plan: Plan): Promise<Plan> {
  const { press } = plan.admission;
  if (press === null || plan.pressed === null) return plan;
  const { chatKey, messageId } = plan.pressed;
  const found = await findAct(db, { ...press, chatKey, messageId });
  if (!found) return plan;
  if (!found.isBound) {
    await recordForgery(db, plan, found.act.approvalId);
    return { ...plan, admission: { ...plan.admission, verdict: 'refuse', reason: 'button expired' } };
  }
  return {
    ...plan,
    answer: { kind: 'approval', act: found.act },
    admission: { ...plan.admission, verdict: 'answer', reason: `approval ${found.act.verb}`, press: null },
  };
}

/** What answers the very message that asked for it is taken for that; every other word is only words. */
export async function tryPrompt(db: Queryable, plan: Plan): Promise<Plan> {
  if (plan.answers === null || plan.answer !== null || plan.admission.verdict !== 'message') return plan;
  const { userKey, chatKey, text } = plan.envelope;
  const prompt = await findPrompt(db, { userKey, chatKey, messageId: plan.answers });
  if (!prompt) return plan;
  return {
    ...plan,
    answer: { kind: 'prompt', prompt, text },
    admission: { ...plan.admission, verdict: 'answer', reason: `approval ${prompt.verb}` },
  };
}

async function recordForgery(db: Queryable, plan: Plan, approvalId: string): Promise<void> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return;
  const { userKey, chatKey } = plan.envelope;
  const data = { why: 'pressed where the card does not stand', refusedBy: 'bound-to-message', chatKey };
  await recordApproval(db, approvalEvent(approval, 'approval.click_refused', userKey, data));
}
