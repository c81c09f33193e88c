import {
  INBOUND_TOPIC,
  OUTBOUND_TOPIC,
  STOP_CHANNEL,
  type DeliveryRequest,
  type WakeUp,
} from '@signalbox/contracts/conversation/topics';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { publishUrgent } from '@signalbox/platform/streams/urgent';

export type Notifier = ReturnType<typeof createNotifier>;

type Announcing = Readonly<{ publisher: Publisher; redis: Redis; log: Log }>;

/** Wakes people's lanes after a commit; the workers' sweepers repeat what is lost. Never throws. */
export function createLaneWaker(deps: Announcing): (wakeUps: readonly WakeUp[]) => Promise<void> {
  const attempt = createAttempt(deps);
  return async (wakeUps) => {
    if (wakeUps.length > 0) await attempt('inbound', () => deps.publisher.publish(INBOUND_TOPIC, wakeUps));
  };
}

/** Notifies other processes of committed rows; sweepers repeat lost notifications. Never throws. `deliverHere` works without Redis. */
export function createNotifier(
  deps: Announcing & { readonly prefix: string; readonly deliverHere: (delivery: DeliveryRequest) => void },
) {
  const { publisher, redis, prefix, deliverHere } = deps;
  const attempt = createAttempt(deps);

  const toDeliveries = (chatKeys: readonly string[], traceId: string): readonly DeliveryRequest[] =>
    [...new Set(chatKeys)].map((chatKey) => ({ kind: 'send', chatKey, traceId }));

  return {
    wakeLanes: createLaneWaker(deps),
    async wakeChats(chatKeys: readonly string[], traceId: string): Promise<void> {
      if (chatKeys.length === 0) return;
      const deliveries = toDeliveries(chatKeys, traceId);
      if (await attempt('outbound', () => publisher.publish(OUTBOUND_TOPIC, deliveries))) return;
      deliveries.forEach(deliverHere);
    },
    /** Wakes chats with a message of the runtime, such as the answer to a command: it overtakes the replies to other chats. */
    async answerChats(chatKeys: readonly string[], traceId: string): Promise<void> {
      const deliveries = toDeliveries(chatKeys, traceId);
      if (await attempt('urgent', () => publishUrgent(deps, deliveries))) return;
      deliveries.forEach(deliverHere);
    },
    /** Shows at once that a message was received and work on it begins. */
    showTyping(chatKey: string, traceId: string): void {
      deliverHere({ kind: 'typing', chatKey, traceId });
    },
    /** Tells workers to stop these people's turns at once; without Redis they notice at their next poll. */
    async stop(userKeys: readonly string[]): Promise<void> {
      for (const userKey of userKeys) await attempt('stop', () => redis.publish(`${prefix}${STOP_CHANNEL}`, userKey));
    },
  };
}

/** False when Redis did not accept the message. A broken connection is not tried, since that would take seconds. */
function createAttempt({ redis, log }: Announcing) {
  return async (what: string, publish: () => Promise<unknown>): Promise<boolean> => {
    if (redis.status !== 'ready') return false;
    try {
      await publish();
      return true;
    } catch (error) {
      log.warn('not announced, a sweeper will', { what, error });
      return false;
    }
  };
}
