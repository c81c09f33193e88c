import { getChannel } from '@signalbox/contracts/conversation/chat-key';
import { DeliveryRequest, OUTBOUND_TOPIC, URGENT_CHANNEL } from '@signalbox/contracts/conversation/topics';
import type { Closable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Redis } from '../redis.ts';
import type { Publisher } from './publish.ts';
import { subscribe } from './subscribe.ts';

export interface UrgentDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly publisher: Publisher;
}

/** Wakes chats whose message overtakes bulk. What no gateway hears goes into the stream. Throws when Redis fails. */
export async function publishUrgent(
  { redis, prefix, publisher }: UrgentDeps,
  deliveries: readonly DeliveryRequest[],
): Promise<void> {
  const unheard: DeliveryRequest[] = [];
  for (const delivery of deliveries) {
    const channel = `${prefix}${URGENT_CHANNEL}:${getChannel(delivery.chatKey)}`;
    if ((await redis.publish(channel, JSON.stringify(delivery))) === 0) unheard.push(delivery);
  }
  await publisher.publish(OUTBOUND_TOPIC, unheard);
}

/** Calls `onDelivery` for every urgent delivery on these channels, until closed. */
export function subscribeToUrgent(options: {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly channels: readonly string[];
  readonly log: Log;
  readonly onDelivery: (delivery: DeliveryRequest) => void;
}): Promise<Closable> {
  const channels = options.channels.map((channel) => `${URGENT_CHANNEL}:${channel}`);
  return subscribe({ ...options, channels, schema: DeliveryRequest, onMessage: options.onDelivery });
}
