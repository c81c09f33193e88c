import { abandonedActions, settleAction } from '@signalbox/shared/db/actions';
import type { Lane } from '@signalbox/shared/db/lane';
import { withTransaction, type Pool } from '@signalbox/shared/db/pool';
import { AppError } from '@signalbox/shared/errors';
import { failure } from '../tools/call.ts';
import { settledEvent } from './events.ts';

/**
 * Settles as unknown what was begun for a message that is given up: nobody will run its turn again. Gives back a sentence for each,
 * for the person. Twice is safe: what is settled stays so.
 */
export async function abandon(pool: Pool, lane: Lane, inboxId: number): Promise<readonly string[]> {
  return withTransaction(pool, async (db) => {
    const sentences: string[] = [];
    for (const { actionId, tool } of await abandonedActions(db, lane, inboxId)) {
      const outcome = failure(new AppError('TOOL_OUTCOME_UNKNOWN', { tool }));
      const events = [settledEvent(actionId, null, 'unknown', outcome)];
      await settleAction(db, actionId, { status: 'unknown', result: outcome, errorCode: outcome.code, events });
      sentences.push(outcome.say);
    }
    return sentences;
  });
}
