import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { createFigures, FIGURES_DEADLINE_MS, type FigureKinds } from '@signalbox/platform/figures';
import type { Log } from '@signalbox/platform/log';
import type { createMetrics } from '@signalbox/platform/probe';
import type { Redis } from '@signalbox/platform/redis';
import { readStreamFigures, STREAM_FIGURES } from '@signalbox/platform/streams/waiting';
import { readBudgetFigures } from '@signalbox/store/operating-figures';
import type { Pool } from '@signalbox/store/pool';
import type { WorkerConfig } from './config.ts';

const BUDGET_FIGURES: FigureKinds = {
  budget_used_ratio: {
    help: 'Largest share of a limit that one person has used, for limits that are set: use max().',
    labels: ['budget'],
  },
};

/** Exports what waits in the inbound stream, and how much of their budgets people have used. */
export function serveWorkerFigures(parts: {
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly limits: GovernanceDeps['limits'];
  readonly config: Pick<WorkerConfig, 'REDIS_PREFIX' | 'STREAM_PARTITIONS'>;
  readonly log: Log;
}): void {
  const { metrics, pool, redis, limits, config, log } = parts;
  const place = { prefix: config.REDIS_PREFIX, topic: INBOUND_TOPIC, partitions: config.STREAM_PARTITIONS };
  const figures = createFigures(metrics, log);
  figures.add({ name: 'streams', kinds: STREAM_FIGURES, read: () => readStreamFigures(redis, place) });
  figures.add({
    name: 'budgets',
    kinds: BUDGET_FIGURES,
    read: () => readBudgetFigures(pool, limits, FIGURES_DEADLINE_MS),
  });
}
