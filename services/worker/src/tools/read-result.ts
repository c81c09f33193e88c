import { AppError } from '@signalbox/contracts/errors';
import { readRows } from '@signalbox/contracts/governance/long-result';
import { hasOutside } from '@signalbox/contracts/governance/outside';
import { createFailedResult, type ToolCallResult } from '@signalbox/governance/calls/call';
import { readStoredResult } from '@signalbox/governance/calls/stored-result';
import { findThreadAction } from '@signalbox/store/governance/actions';
import type { Queryable } from '@signalbox/store/pool';

/** A part of an earlier result. `given`: the result as the model read it, when it was whole. */
export interface ResultRequest {
  readonly handle: string;
  readonly callId: string | null;
  readonly threadId: string;
  readonly given: { readonly result: unknown } | null;
  readonly field: string | null;
  /** The first row, from 1. */
  readonly from: number;
}

/** Runs the base tool read_result: rows of a result that this conversation has got. What was cut off comes from the ledger. */
export async function readResult(
  db: Queryable,
  { handle, callId, threadId, given, field, from }: ResultRequest,
): Promise<ToolCallResult> {
  const whole = callId === null ? null : (given ?? (await findWhole(db, callId, threadId)));
  const rows = whole && readRows(whole.result, field, from);
  if (rows === null || rows === undefined)
    return createFailedResult(
      new AppError('NOT_FOUND', { kind: 'result', name: handle, known: 'the handles in this conversation' }),
      handle,
    );
  const mark = hasOutside(rows) ? { untrusted: true } : {};
  return { ok: true, result: rows, say: '', code: null, changed: false, ...mark };
}

async function findWhole(
  db: Queryable,
  callId: string,
  threadId: string,
): Promise<{ readonly result: unknown } | null> {
  const action = await findThreadAction(db, callId, threadId);
  if (!action) return null;
  const stored = readStoredResult(action.result, action.tool);
  return stored.ok ? { result: stored.result } : null;
}
