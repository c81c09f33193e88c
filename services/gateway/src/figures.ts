import { OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createFigures } from '@signalbox/platform/figures';
import type { Log } from '@signalbox/platform/log';
import { createGauge } from '@signalbox/platform/metrics';
import type { createMetrics } from '@signalbox/platform/probe';
import type { Redis } from '@signalbox/platform/redis';
import { readStreamFigures, STREAM_FIGURES } from '@signalbox/platform/streams/waiting';
import type { GatewayConfig } from './config.ts';

/** Exports how much waits in the streams of these channels, and which of their updates this gateway receives. */
export function serveGatewayFigures(parts: {
  readonly registry: ReturnType<typeof createMetrics>;
  readonly redis: Redis;
  readonly listeners: readonly { readonly channel: string; isListening(): boolean }[];
  readonly config: Pick<GatewayConfig, 'REDIS_PREFIX' | 'STREAM_PARTITIONS'>;
  readonly log: Log;
}): void {
  const { registry, redis, listeners, config, log } = parts;
  const place = { prefix: config.REDIS_PREFIX, topic: OUTBOUND_TOPIC, partitions: config.STREAM_PARTITIONS };
  createFigures(registry, log).add({
    name: 'streams',
    kinds: STREAM_FIGURES,
    read: async () =>
      (
        await Promise.all(listeners.map(({ channel }) => readStreamFigures(redis, { ...place, branch: channel })))
      ).flat(),
  });
  createGauge(registry, 'signalbox_leader', '1 while this process has the role, else 0: use sum().', ['role'], {
    collect: () =>
      listeners.map((one) => ({ labels: { role: `listener:${one.channel}` }, value: one.isListening() ? 1 : 0 })),
  });
}
