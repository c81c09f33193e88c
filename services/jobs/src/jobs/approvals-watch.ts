import { INBOUND, OUTBOUND } from '@signalbox/contracts/conversation/topics';
import { say } from '@signalbox/messages/say';
import { watchApprovals } from '../conversation/approval-watch.ts';
import type { Pool } from '@signalbox/store/pool';
import { newId } from '@signalbox/contracts/ids';
import type { Publisher } from '@signalbox/platform/streams/publish';
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
      // All of it is committed: what is not published here, the sweepers find.
      const ignore = (error: unknown): void => log.warn('not published; the sweepers publish it', { error });
      await parts.publisher
        .publish(
          OUTBOUND,
          chats.map((chatKey) => ({ kind: 'send' as const, chatKey, traceId })),
        )
        .catch(ignore);
      await parts.publisher.publish(INBOUND, wakes).catch(ignore);
      return counts;
    },
    say: ({ expired, voided }) => say('jobs.approvalsLooked', { expired, voided }),
    isNotable: ({ expired, escalated, reminded, voided }) => expired + escalated + reminded + voided > 0,
  };
}
