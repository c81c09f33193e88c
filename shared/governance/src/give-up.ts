import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import {
  listAbandonedActions,
  settleAction,
  readTurnEffects,
  type TurnEffects,
} from '@signalbox/store/governance/actions';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { finishLaneTurn, type ClaimedLane, type InboxMessage } from '@signalbox/store/turns/lanes';
import type { Queryable } from '@signalbox/store/pool';
import { say } from '@signalbox/messages/say';
import { noteRunEnd } from '@signalbox/store/governance/approval-cards';
import { endGivenUpPlans } from '@signalbox/store/governance/plans';
import { AppError } from '@signalbox/contracts/errors';
import { createFailedResult } from './calls/call.ts';
import { createSettledEvent } from './events.ts';
import { sayProgress } from './plans/say-plan.ts';
import { loadReceipts } from './receipts.ts';

/**
 * Gives up a message after too many attempts: its dead letter, its outcome and the answer to its author are committed in the caller's
 * transaction. The answer reports the effects of its turn; started actions are settled as unknown, for the reconciler. Throws LANE_LOST.
 */
export async function giveUpMessage(
  db: Queryable,
  lane: ClaimedLane,
  { id, envelope }: InboxMessage,
  how: {
    readonly attempts: number;
    readonly timeZone: string;
    readonly words: (error: AppError, soFar: Pick<TurnEffects, 'unclear'>) => string;
  },
): Promise<{ readonly ref: string; readonly more: boolean }> {
  const { attempts, timeZone, words } = how;
  const lost: string[] = [];
  for (const { actionId, tool } of await listAbandonedActions(db, lane, id)) {
    const outcome = createFailedResult(new AppError('TOOL_OUTCOME_UNKNOWN', { tool }));
    const events = [createSettledEvent(actionId, null, 'unknown', outcome)];
    await settleAction(db, actionId, { status: 'unknown', result: outcome, errorCode: outcome.code, events });
    lost.push(outcome.say);
  }
  const step = { state: 'unknown' as const, say: say('governance.planTurnFailed'), isOutside: false, meets: [] };
  const plans: string[] = [];
  for (const plan of await endGivenUpPlans(db, lane, step)) {
    const { line, text } = sayProgress(plan);
    await noteRunEnd(db, plan.planId, line);
    plans.push(text);
  }
  const decided = envelope.kind === 'decision' ? envelope.actionId : null;
  const soFar = await readTurnEffects(db, lane.userKey, { turnKey: envelope.id, actionId: decided });
  const unclear = [...new Set([...soFar.unclear, ...lost])];
  const threadId = lane.threadId ?? '';
  const receipts = await loadReceipts(db, soFar.effects, { threadId, timeZone, isBrief: false });
  const ref = await putDeadLetter(db, {
    source: 'inbound',
    ref: String(id),
    userKey: lane.userKey,
    reason: `no progress in ${attempts} attempts`,
    body: envelope,
  });
  const { ok, more } = await finishLaneTurn(db, lane, {
    turn: null,
    outcomes: [{ id, outcome: 'dead-lettered', reason: ref }],
    replies: [
      {
        // A retried message may be given up again, and is reported again.
        key: `dead:${id}:${lane.epoch}`,
        chatKey: envelope.chatKey,
        userKey: lane.userKey,
        threadId: lane.threadId,
        traceId: envelope.traceId,
        priority: SEND_PRIORITY.reply,
        body: {
          text: [words(new AppError('DEAD_LETTERED', { ref }), { unclear }), ...plans].join('\n\n'),
          receipts: [...receipts],
          buttons: [],
        },
      },
    ],
    thread: null,
  });
  if (!ok) throw new AppError('LANE_LOST', { userKey: lane.userKey });
  return { ref, more };
}
