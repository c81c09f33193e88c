import { renderCardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { RuntimeEvent } from '@signalbox/contracts/governance/runtime-event';
import { changeValues } from '@signalbox/contracts/governance/plan';
import { isShortName } from '@signalbox/contracts/governance/outside';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayList } from '@signalbox/messages/list';
import { say, sayError } from '@signalbox/messages/say';
import {
  findApprovalDetails,
  type ApprovalDetails,
  type LedgerRow,
  type Proposal,
} from '@signalbox/store/governance/approvals';
import { withTransaction } from '@signalbox/store/pool';
import { ActionRun } from './action-run.ts';
import { Approvals } from './approvals.ts';
import type { CallScope, ToolCallResult } from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { GovernanceDeps } from './deps.ts';
import { readSteps } from './plans/read-steps.ts';
import { toRunnableCall } from './proposal.ts';
import { settleUnknown, settleVoid } from './settling.ts';

export type DecisionEnvelope = Extract<InboundEnvelope, { kind: 'decision' }>;

/** The message to the requester's conversation about a decision. */
export interface ResumeResult {
  readonly say: string;
  readonly result: ToolCallResult | null;
  /** Policy's decision when the approval was consumed, in this or an earlier run, or about the changed request. */
  readonly decided?: RecordedDecision;
  /** True when `say` contains another person's words, which taint the thread before a model reads them. */
  readonly isOutside?: boolean;
  /** What was decided about, by whom and why, for the model. Missing when the request is gone. */
  readonly about?: Pick<RuntimeEvent, 'tool' | 'by' | 'reason'>;
}

/** A request whose action is in the ledger with its proposal. */
type Known = ApprovalDetails & { readonly action: LedgerRow & { readonly proposal: Proposal } };

/**
 * Continues an action after a person's decision. An approved action is decided again under current rules, consumed exactly once and run.
 * A modified action starts again with its new arguments. Repeating this after a crash has no second effect.
 */
export async function resumeAction(
  deps: GovernanceDeps,
  scope: CallScope,
  envelope: DecisionEnvelope,
): Promise<ResumeResult> {
  const found = await findApprovalDetails(deps.pool, envelope.approvalId);
  if (!found || !isKnown(found)) return { say: sayError('BUTTON_EXPIRED', {}), result: null };
  return { ...(await carryOn(deps, scope, envelope, found)), about: describeDecision(found) };
}

function carryOn(
  deps: GovernanceDeps,
  scope: CallScope,
  envelope: DecisionEnvelope,
  found: Known,
): ResumeResult | Promise<ResumeResult> {
  const { approval } = found;
  const what = renderCardTitle(approval.card);
  switch (envelope.outcome) {
    case 'rejected': {
      const { decidedBy, reason } = approval;
      const person = escapePerson(decidedBy ?? say('governance.somebody'));
      const because = { hasReason: Boolean(reason), reason: reason ?? '' };
      // The reason is text of the decider, and so may be their name.
      return { say: say('governance.rejected', { person, what, ...because }), result: null, isOutside: true };
    }
    case 'expired':
      return { say: say('governance.expired', { what }), result: null };
    case 'modified':
      return runChanged(deps, scope, found);
    case 'approved':
      return runApproved(deps, scope, found);
  }
}

function describeDecision({ approval, action, votes }: Known): NonNullable<ResumeResult['about']> {
  const { decidedBy, reason, status } = approval;
  const decider = decidedBy === null ? [] : [decidedBy.replace(/ \(\w+, id [^)]*\)$/, '')]; // as describePerson wrote it
  const by = votes.length > 0 ? votes.map(({ name }) => name) : decider;
  return {
    tool: action.proposal.action.tool,
    ...(by.length > 0 ? { by } : {}),
    ...(status === 'rejected' && reason ? { reason } : {}),
  };
}

/** Runs the frozen action; afterwards all its approval cards show the receipt. */
async function runApproved(deps: GovernanceDeps, scope: CallScope, found: Known): Promise<ResumeResult> {
  const { approval, action, votes } = found;
  const call = toRunnableCall(deps.tools, action.proposal);
  const result = call
    ? await new ActionRun(deps, scope, call).resume(found, action.proposal)
    : await endWithoutTool(deps, found);
  const line = result.say.split('\n')[0] ?? '';
  const chats = await withTransaction(deps.pool, (db) => new Approvals(db).noteReceipt(approval.approvalId, line));
  for (const chatKey of chats) await deps.notify(chatKey, scope.traceId);
  const by = sayList(votes.map((vote) => toPlainName(vote.name)));
  const approved = say('governance.approved', { isConfirmed: approval.byRequester, by });
  const isOutside = result.untrusted === true || !votes.every((vote) => isShortName(toPlainName(vote.name)));
  return { say: result.ok ? `${approved} ${result.say}` : result.say, result, isOutside, ...decidedIn(result) };
}

/** The worker's tool differs from the approved tool, so an action that an earlier worker started cannot be probed. */
async function endWithoutTool(deps: GovernanceDeps, { approval, action, used }: Known): Promise<ToolCallResult> {
  const { actionId, tool: name } = action.proposal.action;
  const decided = used ? { decided: used } : {};
  if (action.status === 'started') return { ...(await settleUnknown(deps, { actionId, name })), ...decided };
  if (approval.status === 'consumed') return { ...readStoredResult(action.result, name), ...decided };
  return settleVoid(deps, approval, approval.reason ?? say('governance.toolChanged'));
}

/** Changed arguments are a new action, decided from the start; the old action stays unchanged. */
async function runChanged(deps: GovernanceDeps, scope: CallScope, { approval, action }: Known): Promise<ResumeResult> {
  const { actionId, tool: name, group, arguments: args } = action.proposal.action;
  const found = deps.tools.find(name, [group]);
  const parsed = found?.tool.input.safeParse(changeValues(args, approval.change ?? {}));
  const what = renderCardTitle(approval.card);
  if (!found || !parsed?.success) {
    const detail = parsed?.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') ?? '';
    const problem = detail || say('governance.toolGone');
    return { say: say('governance.changeDoesNotFit', { what, problem }), result: null, isOutside: true };
  }
  const groups = (action.proposal.steps ?? []).map((step) => step.proposal.action.group);
  const author = { agent: scope.agent.id, role: scope.actor.role, groups };
  const read = readSteps(deps.tools, { actionId: `${actionId}_m`, name, input: parsed.data, ...found }, () => author);
  if ('refused' in read) return { say: read.refused.say, result: read.refused, isOutside: true };
  const call = read.runnable;
  // What was not the requester's own stays so, whatever somebody else changed of it.
  const view = action.proposal.action.assessment.tainted ? { made: [], ask: denyAct } : null;
  const result = await new ActionRun(deps, scope, call, { parentActionId: actionId, view }).propose();
  const isOutside = result.untrusted === true;
  return { say: `${say('governance.changed', { what })} ${result.say}`, result, isOutside, ...decidedIn(result) };
}

const denyAct = () => Promise.resolve({ asked: false, model: 'none', prompt: null });

function isKnown(found: ApprovalDetails): found is Known {
  return Boolean(found.action?.proposal);
}

function decidedIn({ decided }: ToolCallResult): Pick<ResumeResult, 'decided'> {
  return decided ? { decided } : {};
}
