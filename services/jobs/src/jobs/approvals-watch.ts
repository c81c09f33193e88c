import type { JobPayload, JobResult } from '@signalbox/shared/contracts/jobs';
import { INBOUND, OUTBOUND } from '@signalbox/shared/contracts/topics';
import { watchApprovals } from '@signalbox/shared/db/approval-watch';
import type { Pool } from '@signalbox/shared/db/pool';
import { newId } from '@signalbox/shared/ids';
import type { Publisher } from '@signalbox/shared/streams/publish';
import type { JobHandler } from '../handlers.ts';

/** Reminds of open requests, asks further people, and ends those that nobody decided about. */
export function createApprovalsWatch(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
}): JobHandler<JobPayload<'approvals.watch'>, JobResult<'approvals.watch'>> {
  return {
    title: 'Looking after requests for approval',
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
    say: ({ expired, voided }) =>
      `${expired} requests for approval have expired, ${voided} have nobody to tell any more.`,
    isNotable: ({ expired, escalated, reminded, voided }) => expired + escalated + reminded + voided > 0,
  };
}
