import { AppError, type ErrorCode } from '@signalbox/shared/errors';
import { Button, OutboundFile } from '@signalbox/shared/contracts/envelope';
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
