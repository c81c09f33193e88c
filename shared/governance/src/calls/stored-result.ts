import { readActions, type ActionStatus } from '@signalbox/store/governance/actions';
import type { Queryable } from '@signalbox/store/pool';
import { AppError, type ErrorCode } from '@signalbox/contracts/errors';
import { sayError } from '@signalbox/messages/say';
import { Button, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { z } from 'zod';
import { failure, type ToolCallResult } from './call.ts';

const words = { say: z.string(), changed: z.boolean(), untrusted: z.boolean().exactOptional() };
/** What an action came to, as the ledger keeps it. A failure has words and a code, and no result. */
const StoredResult = z.discriminatedUnion('ok', [
  z.object({
    ...words,
    ok: z.literal(true),
    result: z.unknown(),
    code: z.null(),
    next: z.array(Button).exactOptional(),
    files: z.array(OutboundFile).exactOptional(),
  }),
  // The catalog of the release that wrote it may have had other codes.
  z.object({ ...words, ok: z.literal(false), code: z.string().transform((code) => code as ErrorCode) }),
]);

/**
 * What came of an action, out of its row in the ledger. A row that nobody can read says that nobody can tell, and so stands in no
 * turn's way. Pure, and never throws.
 */
export function readStoredResult(stored: unknown, tool: string): ToolCallResult {
  const { data } = StoredResult.safeParse(stored);
  if (!data) return failure(new AppError('TOOL_OUTCOME_UNKNOWN', { tool }));
  return data.ok ? { ...data, result: data.result } : { ...data, result: null };
}

/** What the ledger knows of these calls, in words; those that never began are left out. */
export async function cameOf(db: Queryable, callIds: readonly string[]) {
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
      return { ok: stored.ok, say: stored.say };
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
