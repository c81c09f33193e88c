import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createPublisher } from '@signalbox/platform/streams/publish';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { grantUserRole } from '@signalbox/store/people/users';
import type { Harness } from './harness.ts';

/** Announces one reply for each of so many people, who have written to the bot. */
export async function letRepliesWait(harness: Harness, people: readonly number[]): Promise<void> {
  for (const id of people) {
    await grantUserRole(harness.pool, { userKey: String(id), channel: 'telegram', name: `P${id}`, role: 'viewer' });
    await harness.people.act('/api/people', { id, name: `P${id}` });
  }
  await harness.meet(...people);
  const rows = people.map((id) => ({
    key: `bulk:${id}`,
    chatKey: `telegram:${id}`,
    userKey: String(id),
    traceId: 'trc_bulk',
    priority: 5,
    body: { text: `answer for ${id}`, buttons: [] },
  }));
  await putOutbox(harness.pool, rows);
  const publisher = createPublisher({ redis: harness.redis, prefix: harness.prefix, partitions: 1 });
  const wakeUps = rows.map(({ chatKey, traceId }) => ({ kind: 'send' as const, chatKey, traceId }));
  await publisher.publish(OUTBOUND_TOPIC, wakeUps);
}
