import { readActions, type ActionStatus } from '@signalbox/store/governance/actions';
import type { Queryable } from '@signalbox/store/pool';
import { AppError, type ErrorCode } from '@signalbox/contracts/errors';
import { sayError } from '@signalbox/messages/say';
import { StepCondition } from '@signalbox/contracts/governance/plan';
import { Button, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { z } from 'zod';
import { createFailedResult, type ToolCallResult } from './call.ts';

const words = { say: z.string(), changed: z.boolean(), untrusted: z.boolean().exactOptional() };
/** An action's result in the ledger. Failures have words and a code. */
const StoredResult = z.discriminatedUnion('ok', [
  z.object({
    ...words,
    ok: z.literal(true),
    result: z.unknown(),
    code: z.null(),
    next: z.array(Button).exactOptional(),
    files: z.array(OutboundFile).exactOptional(),
    goesOn: z.literal(true).exactOptional(),
    meets: z.array(StepCondition).exactOptional(),
  }),
  // the code may be one of an earlier release
  z.object({ ...words, ok: z.literal(false), code: z.string().transform((code) => code as ErrorCode) }),
]);

/** Reads an action's result from its ledger row; an unreadable result counts as unknown. Pure, never throws. */
export function readStoredResult(stored: unknown, tool: string): ToolCallResult {
  const { data } = StoredResult.safeParse(stored);
  if (!data) return createFailedResult(new AppError('TOOL_OUTCOME_UNKNOWN', { tool }));
  return data.ok ? { ...data, result: data.result } : { ...data, result: null };
}

/** Describes the ledger's results of these calls as sentences; calls that never started are omitted. */
export async function describeResults(db: Queryable, callIds: readonly string[]) {
  const actions = await readActions(db, callIds);
  return Object.fromEntries(
    actions.flatMap(({ actionId, tool, status, result }) => {
      const words = wordsOf(tool, status, result);
      return words ? [[actionId, words]] : [];
    }),
  );
}

function wordsOf(tool: string, status: ActionStatus, result: unknown) {
  switch (status) {
    case 'started':
      return { ok: false, say: sayError('TOOL_OUTCOME_UNKNOWN', { tool }) };
    case 'done':
    case 'failed':
    case 'unknown': {
      const stored = readStoredResult(result, tool);
      return { ok: stored.ok, say: stored.say, ...(stored.untrusted ? { untrusted: true } : {}) };
    }
    case 'waiting':
      return { ok: false, say: 'It waits for a decision.' };
    case 'denied':
    case 'rejected':
    case 'modified':
    case 'expired':
    case 'void':
      return null;
  }
}
