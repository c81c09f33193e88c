import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { settleAction } from '@signalbox/store/governance/actions';
import type { Proposal } from '@signalbox/store/governance/approvals';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { lockAction } from '@signalbox/store/unsettled';
import { AppError } from '@signalbox/contracts/errors';
import { failure, type ToolCallResult } from '../tools/call.ts';
import { readStoredResult } from '../tools/stored-result.ts';
import { probeTool, type CallScope, type Runnable } from '../tools/run.ts';
import { settledEvent } from './events.ts';
import type { ExecuteParts } from './parts.ts';

/*
 * How an action ends:
 *   the handler said so ─▶ done | failed
 *   nobody heard it: time ran out, the connection was cut, the worker died
 *        └─ looked up by the tool, with the action locked ─┬─ done ─▶ done
 *                                                          ├─ nothing was written ─▶ failed; nothing can be written any more
 *                                                          └─ it cannot tell (yet) ─▶ unknown ─▶ looked up again by the reconciler
 */

export type Settled = 'done' | 'failed' | 'unknown';

/** Records what came of an action. The first settlement stands. */
export async function settle(
  parts: ExecuteParts,
  call: Pick<Runnable, 'actionId'>,
  proposal: Proposal | null,
  status: Settled,
  outcome: ToolCallResult,
): Promise<void> {
  await settleIn(parts.pool, call, proposal, status, outcome);
}

async function settleIn(
  db: Queryable,
  call: Pick<Runnable, 'actionId'>,
  proposal: Proposal | null,
  status: Settled,
  outcome: ToolCallResult,
  isLookedUp = false,
): Promise<void> {
  const events: readonly AuditEvent[] = [settledEvent(call.actionId, proposal, status, outcome)];
  const settled = { status, result: outcome, errorCode: outcome.code, events, isLookedUp };
  await settleAction(db, call.actionId, settled);
}

/** Ends an action of which nobody can tell whether it took effect. */
export async function settleUnknown(
  parts: ExecuteParts,
  call: Pick<Runnable, 'actionId' | 'name'>,
): Promise<ToolCallResult> {
  const unknown = outcomeUnknown(call);
  await settle(parts, call, null, 'unknown', unknown);
  return unknown;
}

/** What is said of an effect of which nobody knows. */
export function outcomeUnknown({ name }: Pick<Runnable, 'name'>): ToolCallResult {
  return failure(new AppError('TOOL_OUTCOME_UNKNOWN', { tool: name }));
}

/**
 * Settles an action that was begun by what its tool finds where the effect would be, in one transaction that keeps everything out that
 * would be written in its name. `then` comes with it, or not at all; it is called when this settled the action. Twice is once.
 */
export async function settleByLooking(
  parts: ExecuteParts,
  scope: CallScope,
  /** Without its tool, when the worker has it no more. */
  call: Runnable | Pick<Runnable, 'actionId' | 'name'>,
  given: {
    readonly proposal: Proposal | null;
    /** What is said while it is not known. */
    readonly unknown: ToolCallResult;
    readonly then?: (db: Queryable, status: Settled, outcome: ToolCallResult) => Promise<void>;
  },
): Promise<ToolCallResult> {
  return (await lookAndSettle(parts, scope, call, given)) ?? given.unknown;
}

/** The same for whoever may run it once more: null when nothing of it happened, and then it stays begun. */
export function settleUnlessNotDone(
  parts: ExecuteParts,
  scope: CallScope,
  call: Runnable,
  given: { readonly proposal: Proposal | null; readonly unknown: ToolCallResult },
): Promise<ToolCallResult | null> {
  return lookAndSettle(parts, scope, call, { ...given, mayRunAgain: true });
}

async function lookAndSettle(
  parts: ExecuteParts,
  scope: CallScope,
  call: Runnable | Pick<Runnable, 'actionId' | 'name'>,
  given: Parameters<typeof settleByLooking>[3] & { readonly mayRunAgain?: boolean },
): Promise<ToolCallResult | null> {
  return withTransaction(parts.pool, async (db) => {
    const row = await lockAction(db, call.actionId);
    if (!row || (row.status !== 'started' && row.status !== 'unknown'))
      return row === null ? given.unknown : readStoredResult(row.result, call.name);
    const { status, outcome } = await lookUp(parts, scope, call, given.unknown);
    if (status === row.status) return outcome;
    if (outcome.code === 'TOOL_NOT_DONE' && given.mayRunAgain) return null;
    await settleIn(db, call, given.proposal, status, outcome, true);
    await given.then?.(db, status, outcome);
    return outcome;
  });
}

async function lookUp(
  parts: ExecuteParts,
  scope: CallScope,
  call: Runnable | Pick<Runnable, 'actionId' | 'name'>,
  unknown: ToolCallResult,
): Promise<{ readonly status: Settled; readonly outcome: ToolCallResult }> {
  const found = 'tool' in call ? await probeTool(parts, scope, call) : 'unknown';
  if (found === 'unknown') return { status: 'unknown', outcome: unknown };
  if (found === 'not-done')
    return { status: 'failed', outcome: failure(new AppError('TOOL_NOT_DONE', { tool: call.name })) };
  return { status: found.ok ? 'done' : 'failed', outcome: parts.redact(found) };
}

/**
 * What came of an action that an earlier run of this turn had begun; null when it is to be run now, because that is harmless or
 * because the target says that nothing happened.
 */
export async function earlierResult(
  parts: ExecuteParts,
  scope: CallScope,
  call: Runnable,
  status: string,
  result: unknown,
): Promise<ToolCallResult | null> {
  if (status === 'done' || status === 'failed' || status === 'unknown') return readStoredResult(result, call.name);
  if (status !== 'started') return failure(new AppError('APPROVAL_GONE', { status }));
  const probed = call.tool.probe ? await probeTool(parts, scope, call) : 'unknown';
  if (typeof probed === 'object') {
    await settle(parts, call, null, probed.ok ? 'done' : 'failed', parts.redact(probed));
    return probed;
  }
  if (probed === 'not-done' || call.tool.replay === 'harmless') return null;
  return settleUnknown(parts, call);
}
