import { INBOUND_TOPIC, OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createPublisher } from '@signalbox/platform/streams/publish';
import type { WakeTarget } from '@signalbox/store/conversation/dead-letter-review';
import type { CommandContext } from './command.ts';

/** Wakes the conversation or chat of a stored change. False without Redis: a sweeper then does it seconds later. */
export async function wakeTarget({ config, redis }: CommandContext, woken: WakeTarget): Promise<boolean> {
  try {
    const parts = { redis: redis(), prefix: config.REDIS_PREFIX, partitions: config.STREAM_PARTITIONS };
    const publisher = createPublisher(parts);
    const { traceId } = woken;
    if (woken.kind === 'lane') await publisher.publish(INBOUND_TOPIC, [{ userKey: woken.userKey, traceId }]);
    else await publisher.publish(OUTBOUND_TOPIC, [{ kind: 'send', chatKey: woken.chatKey, traceId }]);
    return true;
  } catch {
    return false;
  }
}
