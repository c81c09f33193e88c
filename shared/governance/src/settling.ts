import type { Approval } from '@signalbox/contracts/governance/approval';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { settleAction } from '@signalbox/store/governance/actions';
import type { Proposal } from '@signalbox/store/governance/approvals';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { lockAction } from '@signalbox/store/governance/unsettled';
import { AppError } from '@signalbox/contracts/errors';
import { createFailure, type Runnable, type ToolCallResult } from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import { Approvals } from './approvals.ts';
import { createSettledEvent } from './events.ts';
import type { GovernanceDeps, Execution } from './deps.ts';

/*
 * How an action ends:
 *   the handler said so ─▶ done | failed
 *   nobody heard it: time ran out, the connection was cut, the worker died
 *        └─ looked up by the tool, with the action locked ─┬─ done ─▶ done
 *                                                          ├─ nothing was written ─▶ failed; nothing can be written any more
 *                                                          └─ it cannot tell (yet) ─▶ unknown ─▶ looked up again by the reconciler
 */

export type Settled = 'done' | 'failed' | 'unknown';

/** What an action came to. */
interface Settlement {
  readonly status: Settled;
  readonly outcome: ToolCallResult;
  readonly isLookedUp?: boolean;
}

type Named = Pick<Runnable, 'actionId' | 'name'>;

/** Records what came of an action. The first settlement stands. */
export async function settle(
  db: Queryable,
  { actionId }: Named,
  proposal: Proposal | null,
  { status, outcome, isLookedUp = false }: Settlement,
): Promise<void> {
  const events = [createSettledEvent(actionId, proposal, status, outcome)];
  const isOutside = outcome.untrusted ?? false;
  await settleAction(db, actionId, { status, result: outcome, errorCode: outcome.code, events, isLookedUp, isOutside });
}

/** Ends an action of which nobody can tell whether it took effect. */
export async function settleUnknown(deps: Pick<GovernanceDeps, 'pool'>, call: Named): Promise<ToolCallResult> {
  const unknown = createUnknownOutcome(call);
  await settle(deps.pool, call, null, { status: 'unknown', outcome: unknown });
  return unknown;
}

/** What is said of an effect of which nobody knows. */
export function createUnknownOutcome({ name }: Pick<Runnable, 'name'>): ToolCallResult {
  return createFailure(new AppError('TOOL_OUTCOME_UNKNOWN', { tool: name }));
}

/**
 * Settles a started action by what its tool finds where the effect would be, in one transaction that keeps everything out that
 * would be written in its name. `then` comes with it, or not at all; it is called when this settled the action. Twice is once.
 */
export async function settleByLooking(
  /** Without its tool, when the worker has it no more. */
  execution: Execution<Runnable | Named>,
  given: Looking,
): Promise<ToolCallResult> {
  return (await lookAndSettle(execution, given)) ?? given.unknown;
}

interface Looking {
  readonly proposal: Proposal | null;
  /** What is said while it is not known. */
  readonly unknown: ToolCallResult;
  readonly then?: (db: Queryable, status: Settled, outcome: ToolCallResult) => Promise<void>;
}

/** The same for whoever may run it once more: null when nothing of it happened, and then it stays started. */
export function settleUnlessNotDone(execution: Execution, given: Looking): Promise<ToolCallResult | null> {
  return lookAndSettle(execution, { ...given, mayRunAgain: true });
}

async function lookAndSettle(
  execution: Execution<Runnable | Named>,
  given: Looking & { readonly mayRunAgain?: boolean },
): Promise<ToolCallResult | null> {
  const { deps, call } = execution;
  return withTransaction(deps.pool, async (db) => {
    const row = await lockAction(db, call.actionId);
    if (!row || (row.status !== 'started' && row.status !== 'unknown'))
      return row === null ? given.unknown : readStoredResult(row.result, call.name);
    const { status, outcome } = await lookUp(execution, given.unknown);
    if (status === row.status) return outcome;
    if (outcome.code === 'TOOL_NOT_DONE' && given.mayRunAgain) return null;
    await settle(db, call, given.proposal, { status, outcome, isLookedUp: true });
    await given.then?.(db, status, outcome);
    return outcome;
  });
}

async function lookUp(
  { deps, scope, call }: Execution<Runnable | Named>,
  unknown: ToolCallResult,
): Promise<Settlement> {
  const found = 'tool' in call ? await deps.tools.probe(scope, call) : 'unknown';
  if (found === 'unknown') return { status: 'unknown', outcome: unknown };
  if (found === 'not-done')
    return { status: 'failed', outcome: createFailure(new AppError('TOOL_NOT_DONE', { tool: call.name })) };
  return { status: found.ok ? 'done' : 'failed', outcome: deps.redact(found) };
}

/**
 * What came of an action that an earlier run of this turn had started; null when it is to be run now, because that is harmless or
 * because the target says that nothing happened.
 */
export async function findEarlierResult(
  execution: Execution,
  { status, result }: { readonly status: string; readonly result: unknown },
): Promise<ToolCallResult | null> {
  const { deps, scope, call } = execution;
  if (status === 'done' || status === 'failed' || status === 'unknown') return readStoredResult(result, call.name);
  if (status !== 'started') return createFailure(new AppError('APPROVAL_GONE', { status }));
  const probed = call.tool.probe ? await deps.tools.probe(scope, call) : 'unknown';
  if (typeof probed === 'object') {
    await settle(deps.pool, call, null, { status: probed.ok ? 'done' : 'failed', outcome: deps.redact(probed) });
    return probed;
  }
  if (probed === 'not-done' || call.tool.replay === 'harmless') return null;
  return settleUnknown(deps, call);
}

/** Ends the action of an approved request that stands for nothing any more. `decided`: what policy said of it. */
export async function settleVoid(
  { pool }: Pick<GovernanceDeps, 'pool'>,
  approval: Approval,
  reason: string,
  decided?: RecordedDecision,
): Promise<ToolCallResult> {
  await withTransaction(pool, (db) => new Approvals(db).voidApproved(approval, reason, decided ?? null));
  const voided = createFailure(new AppError('APPROVAL_VOID', { id: approval.approvalId, reason }));
  return decided ? { ...voided, decided } : voided;
}
