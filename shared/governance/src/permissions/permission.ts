import type { PermissionDecision, PolicyEngine, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { ApprovalDetails, Proposal } from '@signalbox/store/governance/approvals';
import { readGovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { Queryable } from '@signalbox/store/pool';

/** Asks policy whether this person may decide. A confirmation needs no further permission than the action; a plan that of each step. */
export async function askPermission(
  db: Queryable,
  policy: PolicyEngine,
  { approval, authors }: ApprovalDetails,
  { action, steps, ...own }: Proposal,
  approver: { readonly userKey: string; readonly role: Role },
): Promise<Pick<PermissionDecision, 'allowed' | 'rule' | 'sentence'>> {
  const { at, frozen, breakGlass, admins, operators } = await readGovernanceFacts(db, action, null);
  const otherApprovers = approval.role === 'admin' ? admins : operators;
  const ageMs = Date.parse(at) - approval.requestedAt.getTime();
  const permit = ({ question }: Pick<Proposal, 'question'>) => {
    const context: PolicyQuestion['context'] = { ...question.context, at, frozen, breakGlass, otherApprovers };
    if (!approval.byRequester) return policy.mayApprove({ approver, authors, action: question.action, context, ageMs });
    const principal = { ...question.principal, role: approver.role };
    const { effect, rule, sentence } = policy.decide({ ...question, principal, context });
    return { allowed: effect !== 'deny', rule, sentence };
  };
  const asked = steps?.map(({ proposal }) => proposal).filter(({ decision }) => decision.effect !== 'run') ?? [own];
  const answers = asked.map(permit);
  return answers.find(({ allowed }) => !allowed) ?? answers[0] ?? permit(own);
}
