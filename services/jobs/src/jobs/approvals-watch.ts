import { INBOUND, OUTBOUND } from '@signalbox/contracts/conversation/topics';
import { say } from '@signalbox/messages/say';
import { watchApprovals } from '../conversation/approval-watch.ts';
import type { Pool } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import type { HandlerOf } from '../runner/handlers.ts';

/** Reminds of open requests, asks further people, and ends those that nobody decided about. */
export function createApprovalsWatch(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
}): HandlerOf<'approvals.watch'> {
  return {
    title: () => say('jobs.lookingAfterRequestsForApproval'),
    run: async (_, { signal, log }) => {
      signal.throwIfAborted();
      const { chats, wakes, ...counts } = await watchApprovals(parts.pool);
      const traceId = newId('trace');
      const told = chats.map((chatKey) => ({ kind: 'send' as const, chatKey, traceId }));
      await publishStored({ publisher: parts.publisher, log }, OUTBOUND, told);
      await publishStored({ publisher: parts.publisher, log }, INBOUND, wakes);
      return counts;
    },
    say: ({ expired, voided }) => say('jobs.approvalsLooked', { expired, voided }),
    isNotable: ({ expired, escalated, reminded, voided }) => expired + escalated + reminded + voided > 0,
  };
}
