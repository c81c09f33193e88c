import { OUTBOUND_TOPIC, type DeliveryRequest } from '@signalbox/contracts/conversation/topics';
import { newId } from '@signalbox/contracts/ids';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Tracing } from '@signalbox/platform/tracing/tracing';
import type { Redis } from '@signalbox/platform/redis';
import { startConsumer, type Consumer } from '@signalbox/platform/streams/consume';
import type { Draft } from '@signalbox/platform/streams/drafts';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Pool } from '@signalbox/store/pool';
import type { Channel } from '../channels/channel.ts';
import type { GatewayConfig } from '../config.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { Deliverer } from './deliver.ts';
import { createDraftClaims } from './draft-claim.ts';
import { Drafts } from './drafts.ts';
import { createThrottle } from './throttle.ts';

const MAX_CHATS = 50;
const DRAIN_MS = 8_000;

export interface ChannelDelivery {
  readonly channel: Channel;
  readonly consumer: Consumer;
  deliverHere(delivery: DeliveryRequest): void;
  deliverFirst(delivery: DeliveryRequest): void;
  receiveDraft(draft: Draft): void;
}

/** Starts delivery on one channel: its stream consumer, deliverer, throttle and drafts. */
export function startDelivery(deps: {
  readonly own: RegisterClosable;
  readonly config: GatewayConfig;
  readonly log: Log;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly channel: Channel;
  readonly cipher: SecretSealer;
  readonly challenges: ChallengeStore;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
  readonly wake: (chatKeys: readonly string[], traceId: string) => Promise<void>;
}): ChannelDelivery {
  const { own, config, log, pool, redis, channel, cipher, challenges, metrics, tracing, wake } = deps;
  const throttle = createThrottle(channel.throttle);
  const drafts = channel.drafts
    ? own(
        new Drafts({
          channel,
          drafts: channel.drafts,
          throttle,
          claims: createDraftClaims({ redis, prefix: config.REDIS_PREFIX, gateway: newId('gw'), log }),
          isSending: (chatKey) => deliverer.isSending(chatKey),
          log,
          metrics,
        }),
      )
    : null;
  const deliverer = new Deliverer({
    pool,
    channel,
    throttle,
    cipher,
    challenges,
    log,
    metrics,
    tracing,
    drafts,
    maxChats: MAX_CHATS,
    wake,
    drainMs: DRAIN_MS,
  });
  const consumer = startConsumer({
    topic: OUTBOUND_TOPIC,
    branch: channel.name,
    redisUrl: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    partitions: config.STREAM_PARTITIONS,
    consumer: config.GATEWAY_NAME,
    slots: () => MAX_CHATS,
    waiting: () => 0,
    log,
    handle: (delivery) => deliverer.handle(delivery),
    onUnreadable: async (ref, raw, detail) => {
      const body = { raw: raw.slice(0, 2_000) };
      await putDeadLetter(pool, { source: 'stream', ref: `out:${ref}`, userKey: null, reason: detail, body });
    },
    drainMs: DRAIN_MS,
  });
  // The consumer stops reading at once, so that another gateway reads the entries that the deliverer gives back.
  own({ close: async () => void (await Promise.all([consumer.close(), deliverer.close()])) });
  return {
    channel,
    consumer,
    deliverHere: (delivery) => deliverer.deliverHere(delivery),
    deliverFirst: (delivery) => deliverer.deliverFirst(delivery),
    receiveDraft: (draft) => drafts?.receive(draft),
  };
}
