import { createApprovalEvent } from '@signalbox/governance/events';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findApproval } from '@signalbox/store/governance/approvals';
import { isStopWord } from '../log-stop.ts';
import { findPressedAct, findPrompt } from '../../rows/approval-prompts.ts';
import type { Queryable } from '@signalbox/store/pool';
import type { AdmissionPlan } from '../plan.ts';

/** Turns a press on an approval card into a decision. Refuses and audits a press from another chat or message than the card's. */
export async function matchApprovalPress(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  const { press } = plan.admission;
  if (press === null || plan.pressed === null) return plan;
  const { chatKey, messageId } = plan.pressed;
  const found = await findPressedAct(db, { ...press, chatKey, messageId });
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

/** Takes a reply, or with `isPrompted` the author's next plain message, as the answer to a prompt, such as a reject reason. */
export async function matchPromptReply(
  db: Queryable,
  plan: AdmissionPlan,
  isPrompted: boolean,
): Promise<AdmissionPlan> {
  if (plan.answer !== null || plan.admission.verdict !== 'message') return plan;
  if (plan.answers === null && !(isPrompted && canAnswerPrompt(plan))) return plan;
  const { userKey, chatKey, text } = plan.envelope;
  const prompt = await findPrompt(db, { userKey, chatKey, messageId: plan.answers });
  if (!prompt) return plan;
  return {
    ...plan,
    answer: { kind: 'prompt', prompt, text },
    admission: { ...plan.admission, verdict: 'answer', reason: `approval ${prompt.verb}` },
  };
}

/** True when a message may answer a prompt: it has only text and is no word that stops a followed log. */
export function canAnswerPrompt({ envelope, admission, code }: AdmissionPlan): boolean {
  const isWords =
    admission.kind === 'message' &&
    admission.press === null &&
    (envelope.attachments ?? []).length === 0 &&
    envelope.text.trim() !== '';
  return isWords && admission.verdict === 'message' && code === null && !isStopWord(envelope.text);
}

async function recordForgery(db: Queryable, plan: AdmissionPlan, approvalId: string): Promise<void> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return;
  const { userKey, chatKey } = plan.envelope;
  const data = { why: 'pressed where the card does not stand', refusedBy: 'bound-to-message', chatKey };
  await appendAudit(db, [createApprovalEvent(approval, 'approval.click_refused', userKey, data)]);
}
