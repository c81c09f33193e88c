import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { ActionIntent, ActionMark } from '@signalbox/store/governance/actions';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { Pool } from '@signalbox/store/pool';
import type { CallScope, Runnable } from './calls/call.ts';
import type { Tools } from './calls/tools.ts';
import { actionHash, type BudgetLimits } from './proposal.ts';

/** What governance works with. */
export interface GovernanceDeps {
  readonly pool: Pool;
  /** For locks, which are held while a handler runs. */
  readonly lockPool: Pool;
  readonly tools: Tools;
  readonly limits: BudgetLimits;
  /** The policy set that is in force now. */
  policy(): PolicyEngine;
  /** Takes secrets out of what a tool gave back. */
  redact<T>(value: T): T;
  /** Tells the gateway that a chat has something to send. */
  notify(chatKey: string, traceId: string): Promise<void>;
}

/** One call on its way through governance. */
export interface Execution<C = Runnable> {
  readonly parts: GovernanceDeps;
  readonly scope: CallScope;
  readonly call: C;
}

/** What the ledger keeps of an action. */
export function intentOf(
  { call, scope }: Pick<Execution, 'call' | 'scope'>,
  { action, question, decision }: Proposal,
): Omit<ActionIntent, 'roles' | 'events' | 'grantId'> {
  const marks: ActionMark[] = [
    ...(call.tool.holds === 'text' ? ['untrusted' as const] : []),
    ...(call.tool.touchesPrivate ? ['private' as const] : []),
  ];
  return {
    actionId: call.actionId,
    parentActionId: action.parentActionId,
    turnId: scope.turnId,
    turnKey: scope.turnKey,
    threadId: scope.threadId,
    tool: call.name,
    arguments: action.arguments,
    proposal: { action, question, decision },
    hash: actionHash(action),
    marks,
  };
}
