import { noteEffect } from '@signalbox/store/effects';
import { findApproval } from '@signalbox/store/governance/approvals';
import { withTransaction } from '@signalbox/store/pool';
import { Approvals, type Decider } from './approvals.ts';
import type { GovernanceDeps } from './deps.ts';

/**
 * Withdraws a request on the words of its requester, as the effect of this action, and updates all its cards. False when the request no
 * longer waited: a decision that came first stays. Twice is safe.
 */
export async function withdrawRequest(
  { pool, notify }: Pick<GovernanceDeps, 'pool' | 'notify'>,
  asked: { readonly approvalId: string; readonly by: Decider; readonly actionId: string },
): Promise<boolean> {
  const { approvalId, by, actionId } = asked;
  const ended = await withTransaction(pool, async (db) => {
    const result = await new Approvals(db).withdraw(approvalId, by);
    if (result !== null) await noteEffect(db, actionId);
    return result;
  });
  if (ended === null) return false;
  const traceId = (await findApproval(pool, approvalId))?.traceId ?? '';
  for (const chatKey of ended.chats) await notify(chatKey, traceId);
  return true;
}
