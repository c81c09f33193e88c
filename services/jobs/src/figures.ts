import { DISK_FIGURES, readDiskFigures } from '@signalbox/platform/disks';
import { createFigures, FIGURES_DEADLINE_MS, type Figure, type FigureKinds } from '@signalbox/platform/figures';
import type { Log } from '@signalbox/platform/log';
import type { createMetrics } from '@signalbox/platform/probe';
import { QUEUE_FIGURES, readQueueFigures } from '@signalbox/platform/queue/counts';
import type { Redis } from '@signalbox/platform/redis';
import type { JobPool } from '@signalbox/contracts/operations/jobs';
import { readOperatingFigures } from '@signalbox/store/operating-figures';
import type { Pool } from '@signalbox/store/pool';
import { compareSizes, readSizes } from '@signalbox/store/retention/sizes';
import type { JobsConfig } from './config.ts';

const count = (help: string, ...labels: readonly string[]) => ({ help: `${help}: use max().`, labels });

/** What operating_figures() in infra/postgres returns. Each process of the pool `maintenance` exports the same numbers. */
export const OPERATING_FIGURES: FigureKinds = {
  inbox_waiting_messages: count('Messages without an outcome, including those in running turns'),
  inbox_oldest_seconds: count('Age of the oldest message without an outcome, 0 without one'),
  outbox_waiting_replies: count('Replies that are not delivered yet'),
  outbox_oldest_seconds: count('Age of the oldest reply that is not delivered yet, 0 without one'),
  parked_chats: count('Chats that the bot may not write to'),
  lanes_held: count('People for whom a worker works at present', 'worker'),
  lanes_expired: count('Lanes that a worker lost and no other worker has taken over', 'worker'),
  dead_letters_open: count('Dead letters that nobody has closed', 'source'),
  approvals_waiting: count('Requests that wait for a person', 'kind'),
  approvals_oldest_seconds: count('Age of the oldest request that waits, 0 without one', 'kind'),
  incidents_open: count('Open incidents of Signalbox itself, or of deployed services', 'about'),
  runs_waiting: count('Runs of jobs that are due and not taken', 'pool'),
  runs_oldest_waiting_seconds: count('How long the oldest run has been due, 0 without one', 'pool'),
  runs_running: count('Runs of jobs that run', 'pool'),
  deployments_total: count('Ended deployments by outcome', 'outcome'),
  deployments_open: count('Deployments that have not ended'),
  deployments_unknown: count('Deployments whose server does not answer'),
  audit_unsealed_events: count('Audit events without their place in the history'),
  database_bytes: count('Size of the database'),
  table_bytes: count('Size of a table with its indexes', 'table'),
};

/** What the size samples say; absent in the first hour of an installation. */
const GROWTH_FIGURES: FigureKinds = {
  table_growth_bytes_per_day: count('Growth of a table with its indexes over the last week, per day', 'table'),
};

/** Exports the figures that this process has the rights to read. */
export function serveJobFigures(parts: {
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly config: JobsConfig;
  readonly log: Log;
}): void {
  const { metrics, pool, redis, config, log } = parts;
  const { JOBS_POOLS: pools, REDIS_PREFIX: prefix } = config;
  const figures = createFigures(metrics, log);
  figures.add({
    name: 'queue',
    kinds: QUEUE_FIGURES,
    read: async () => (await Promise.all(pools.map((one) => readQueueFigures(redis, prefix, one)))).flat(),
  });
  const folders = listDiskFolders(config);
  if (Object.keys(folders).length > 0)
    figures.add({ name: 'disks', kinds: DISK_FIGURES, read: () => readDiskFigures(folders) });
  if (pools.includes('maintenance')) {
    figures.add({
      name: 'database',
      kinds: OPERATING_FIGURES,
      read: () => readOperatingFigures(pool, FIGURES_DEADLINE_MS),
    });
    figures.add({ name: 'growth', kinds: GROWTH_FIGURES, read: () => readGrowth(pool) });
  }
}

async function readGrowth(pool: Pool): Promise<readonly Figure[]> {
  const { tables } = await compareSizes(pool, await readSizes(pool, {}, FIGURES_DEADLINE_MS));
  return tables.flatMap(({ table, bytesPerDay }) =>
    bytesPerDay === null ? [] : [{ name: 'table_growth_bytes_per_day', labels: { table }, value: bytesPerDay }],
  );
}

/** Lists the folders of this process whose disks matter, by the name of the place. */
export function listDiskFolders(config: JobsConfig): Readonly<Record<string, string>> {
  const folders: Readonly<Record<JobPool, Readonly<Record<string, string>>>> = {
    maintenance: { audit: config.AUDIT_CHECKPOINT_DIR },
    agents: { workspaces: config.WORKSPACE_DIR },
    deploy: { targets: config.TARGETS_DIR, mirrors: config.DEPLOY_DIR },
    analysis: {},
  };
  return Object.fromEntries(config.JOBS_POOLS.flatMap((one) => Object.entries(folders[one])));
}
