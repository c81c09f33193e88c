import type { Approval } from '@signalbox/contracts/governance/approval';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { settleAction } from '@signalbox/store/governance/actions';
import type { Proposal } from '@signalbox/store/governance/approvals';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { lockAction } from '@signalbox/store/governance/unsettled';
import { AppError } from '@signalbox/contracts/errors';
import { createFailedResult, type RunnableCall, type ToolCallResult } from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import { Approvals } from './approvals.ts';
import { createSettledEvent } from './events.ts';
import type { GovernanceDeps, CallExecution } from './deps.ts';

/*
 * How an action ends:
 *   the handler returned ─▶ done | failed
 *   the result was lost: a timeout, a cut connection, a dead worker
 *        └─ the tool probes, with the action locked ─┬─ done ─▶ done
 *                                                    ├─ nothing was written ─▶ failed; later writes are refused
 *                                                    └─ unclear (yet) ─▶ unknown ─▶ probed again by the reconciler
 */

export type SettledStatus = 'done' | 'failed' | 'unknown';

interface Settlement {
  readonly status: SettledStatus;
  readonly outcome: ToolCallResult;
  readonly isLookedUp?: boolean;
}

type Named = Pick<RunnableCall, 'actionId' | 'name'>;

/** Records an action's outcome. A later call for the action changes nothing. */
export async function recordOutcome(
  db: Queryable,
  { actionId }: Named,
  proposal: Proposal | null,
  { status, outcome, isLookedUp = false }: Settlement,
): Promise<void> {
  const events = [createSettledEvent(actionId, proposal, status, outcome)];
  const isOutside = outcome.untrusted ?? false;
  await settleAction(db, actionId, { status, result: outcome, errorCode: outcome.code, events, isLookedUp, isOutside });
}

/** Settles an action whose effect is uncertain. */
export async function settleUnknown(deps: Pick<GovernanceDeps, 'pool'>, call: Named): Promise<ToolCallResult> {
  const unknown = createUnknownOutcome(call);
  await recordOutcome(deps.pool, call, null, { status: 'unknown', outcome: unknown });
  return unknown;
}

export function createUnknownOutcome({ name }: Pick<RunnableCall, 'name'>): ToolCallResult {
  return createFailedResult(new AppError('TOOL_OUTCOME_UNKNOWN', { tool: name }));
}

/**
 * Settles a started action by probing its effect, in one transaction that refuses later writes of the action. `then` runs in the same
 * transaction, only when this call settled the action. Idempotent.
 */
export async function settleByProbe(
  /** The call to probe, or its name alone when the worker no longer has the tool. */
  execution: CallExecution<RunnableCall | Named>,
  given: Looking,
): Promise<ToolCallResult> {
  return (await lookAndSettle(execution, given)) ?? given.unknown;
}

interface Looking {
  readonly proposal: Proposal | null;
  /** The result of the call while its outcome is unknown. */
  readonly unknown: ToolCallResult;
  readonly then?: (db: Queryable, status: SettledStatus, outcome: ToolCallResult) => Promise<void>;
}

/** Like `settleByProbe`, for a caller that may run the action again: null when nothing happened, and the action then stays started. */
export function settleIfDone(execution: CallExecution, given: Looking): Promise<ToolCallResult | null> {
  return lookAndSettle(execution, { ...given, mayRunAgain: true });
}

async function lookAndSettle(
  execution: CallExecution<RunnableCall | Named>,
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
    await recordOutcome(db, call, given.proposal, { status, outcome, isLookedUp: true });
    await given.then?.(db, status, outcome);
    return outcome;
  });
}

async function lookUp(
  { deps, scope, call }: CallExecution<RunnableCall | Named>,
  unknown: ToolCallResult,
): Promise<Settlement> {
  const found = 'tool' in call ? await deps.tools.probe(scope, call) : 'unknown';
  if (found === 'unknown') return { status: 'unknown', outcome: unknown };
  if (found === 'not-done')
    return { status: 'failed', outcome: createFailedResult(new AppError('TOOL_NOT_DONE', { tool: call.name })) };
  return { status: found.ok ? 'done' : 'failed', outcome: deps.redact(found) };
}

/** The result of an action that an earlier run started. Null when it should run now: safe to repeat, or nothing happened. */
export async function findEarlierResult(
  execution: CallExecution,
  { status, result }: { readonly status: string; readonly result: unknown },
): Promise<ToolCallResult | null> {
  const { deps, scope, call } = execution;
  if (status === 'done' || status === 'failed' || status === 'unknown') return readStoredResult(result, call.name);
  if (status !== 'started') return createFailedResult(new AppError('APPROVAL_GONE', { status }));
  const probed = call.tool.probe ? await deps.tools.probe(scope, call) : 'unknown';
  if (typeof probed === 'object') {
    await recordOutcome(deps.pool, call, null, { status: probed.ok ? 'done' : 'failed', outcome: deps.redact(probed) });
    return probed;
  }
  if (probed === 'not-done' || call.tool.replay === 'harmless') return null;
  return settleUnknown(deps, call);
}

/** Settles the action of a voided approval. `decided`: policy's decision about it. */
export async function settleVoid(
  { pool }: Pick<GovernanceDeps, 'pool'>,
  approval: Approval,
  reason: string,
  decided?: RecordedDecision,
): Promise<ToolCallResult> {
  await withTransaction(pool, (db) => new Approvals(db).voidApproved(approval, reason, decided ?? null));
  const voided = createFailedResult(new AppError('APPROVAL_VOID', { id: approval.approvalId, reason }));
  return decided ? { ...voided, decided } : voided;
}
