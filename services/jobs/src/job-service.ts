import { JOBS, type JobName, type JobPool } from '@signalbox/contracts/operations/jobs';
import { INBOUND_TOPIC, OUTBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { createPassageStore } from './knowledge/knowledge-passages.ts';
import { checkDatabase, findDatabaseProblem } from '@signalbox/store/database-check';
import { listFaults } from '@signalbox/store/faults';
import { openPool, type Pool } from '@signalbox/store/pool';
import { RunStore } from '@signalbox/store/turns/runs';
import { AppError } from '@signalbox/contracts/errors';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { waitForServers } from '@signalbox/platform/needed-servers';
import { readDisks } from '@signalbox/platform/disks';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { consumeQueue, type QueueConsumer } from '@signalbox/platform/queue/consume';
import { createQueue } from '@signalbox/platform/queue/queue';
import { checkRedis, closeRedis, findRedisProblem, openRedis, type Redis } from '@signalbox/platform/redis';
import { createSecretCipher } from '@signalbox/safety/secrets/cipher';
import { loadSecretsKey } from '@signalbox/safety/secrets/key';
import { openTracing } from '@signalbox/platform/tracing/open-tracing';
import { createPublisher, type Publisher } from '@signalbox/platform/streams/publish';
import type { JobsConfig } from './config.ts';
import type { JobHandlers, PoolHandlers } from './runner/handlers.ts';
import { createLeasedRuns } from './runner/leased-runs.ts';
import { createKnowledgeIndexHandler } from './jobs/knowledge-index.ts';
import { createApprovalsWatchHandler } from './conversation/approval-watch.ts';
import { createSchedulesHandler } from './conversation/schedules-run.ts';
import { createRotasWatchHandler } from './conversation/rotas-watch.ts';
import { createRetentionHandler } from './conversation/retention-run.ts';
import { createThreadExpiryHandler } from './conversation/thread-expiry.ts';
import { listDiskFolders, serveJobFigures } from './figures.ts';
import { createJobMetrics } from './metrics.ts';
import { createDiskCheck } from './notices/disk-check.ts';
import { listRedisChecks, startAdminNotices } from './notices/admin-notices.ts';
import { createSecretOpener, type SecretOpener } from './runner/open-secret.ts';
import { createRunner } from './runner/runner.ts';
import { loadPlugins } from '@signalbox/plugins/load-plugins';
import { selectDatabaseRole, nameJobService } from './service-name.ts';
import { startSweeper } from './runner/sweeper.ts';

export interface JobService {
  /** Port of /healthz, /readyz and /metrics. */
  readonly probePort: number;
}

/** Starts the job service. Throws STARTUP_REFUSED when Redis may evict keys, or when others may read the secrets' key. */
export async function createJobService(own: RegisterClosable, config: JobsConfig, log: Log): Promise<JobService> {
  const { REDIS_URL: redisUrl, REDIS_PREFIX: prefix, JOBS_LEASE_MS: leaseMs } = config;
  await loadPlugins(config.AGENTS); // Messages use the error codes and sentences of plug-ins.
  const name = nameJobService(config.JOBS_POOLS);
  // The probe's port opens first, so that readiness can report what the service waits for.
  const probe = own(await openProbe({ host: config.PROBE_HOST, port: config.PROBE_PORT, log }));
  const role = selectDatabaseRole(config.JOBS_POOLS);
  const checks = [() => checkDatabase(config.DATABASE_URL, role.as ?? 'jobs'), () => checkRedis(redisUrl)];
  await waitForServers({ checks, probe, own, log });
  const tracing = own(await openTracing(config, name, log));
  const pool = openPool(config.DATABASE_URL, log, { name, max: config.DATABASE_CONNECTIONS, ...role });
  own({ close: () => pool.end() });
  const redis = openRedis(redisUrl, log);
  own({ close: () => closeRedis(redis) });

  const metrics = createMetrics(name);
  // Only the pool that reaches servers opens secrets, so no other process holds the key.
  const openSecret: SecretOpener = config.JOBS_POOLS.includes('deploy')
    ? createSecretOpener({ pool, cipher: createSecretCipher(loadSecretsKey(config)) })
    : ({ handle }) => Promise.reject(new AppError('SECRET_UNKNOWN', { handle }));
  const publisher = createPublisher({ redis, prefix, partitions: config.STREAM_PARTITIONS });
  const runs = new RunStore(pool);
  const queue = own(createQueue({ redisUrl, prefix, log }));
  // Dependencies of a pool are loaded only in processes that run the pool: a process for agents loads none of the others.
  const makers: { readonly [L in JobPool]: () => PoolHandlers<L> | Promise<PoolHandlers<L>> } = {
    maintenance: () => ({
      'knowledge.index': createKnowledgeIndexHandler({
        passages: createPassageStore(pool),
        docsDir: config.DOCS_DIR,
        readmeFile: config.README_FILE,
      }),
      'approvals.watch': createApprovalsWatchHandler({ pool, publisher }),
      'schedules.run': createSchedulesHandler({ pool, publisher }),
      'rotas.watch': createRotasWatchHandler({ pool, publisher }),
      'retention.run': createRetentionHandler({ pool, config, disks: () => readDisks(listDiskFolders(config)) }),
      'threads.expire': createThreadExpiryHandler({ pool, publisher, idleMs: config.idleMs }),
    }),
    agents: async () =>
      (await import('./jobs/workspace.ts')).createWorkspaceHandlers(own, config, { pool, redis }, log),
    deploy: async () => {
      const { createOperationsHandlers } = await import('./jobs/operations.ts');
      return createOperationsHandlers(config, pool, { publisher, queue, log });
    },
    analysis: async () =>
      (await import('./jobs/analysis.ts')).createAnalysisHandlers(own, config, { pool, redis }, log),
  };

  const held = own(createLeasedRuns({ runs, leaseMs, log }));
  const jobMetrics = createJobMetrics(metrics, listJobs(config.JOBS_POOLS));
  serveJobFigures({ metrics, pool, redis, config, log });
  const consumers: QueueConsumer[] = [];
  for (const jobPool of config.JOBS_POOLS) {
    const handlers: JobHandlers = await makers[jobPool]();
    const handle = createRunner({
      runs,
      held,
      handlers,
      leaseMs,
      log,
      openSecret,
      tracing,
      metrics: jobMetrics,
      wake: (lane) => publisher.publish(INBOUND_TOPIC, [lane]),
      handOn: (job, run) => queue.enqueue(job, run),
      notify: (chat) => publisher.publish(OUTBOUND_TOPIC, [{ kind: 'send', ...chat }]),
    });
    const queues = { redisUrl, prefix, pool: jobPool, concurrency: config.JOBS_CONCURRENCY, leaseMs, log, handle };
    consumers.push(own(consumeQueue({ ...queues, requeue: queue.enqueue })));
  }
  // Processes of the pool `agents` may not read faults.
  const isKnowing = config.JOBS_POOLS.some((jobPool) => jobPool !== 'agents');
  probe.serve({
    metrics,
    problems: () => findProblems(pool, redis, consumers),
    notes: async () => (isKnowing ? (await listFaults(pool).catch(() => [])).map((fault) => fault.say) : []),
  });
  own({ close: () => Promise.resolve(probe.wait(['stopping'])) });
  own(startSweeper({ runs, queue, pools: config.JOBS_POOLS, everyMs: leaseMs, leaseMs, log }));
  await startPoolLoops(own, { config, pool, publisher, redis, metrics, log });
  log.info('job service is up', { pools: config.JOBS_POOLS, probePort: probe.port });
  return { probePort: probe.port };
}

/** Starts what the pools of this process do besides jobs. */
async function startPoolLoops(
  own: RegisterClosable,
  parts: {
    readonly config: JobsConfig;
    readonly pool: Pool;
    readonly publisher: Publisher;
    readonly redis: Redis;
    readonly metrics: ReturnType<typeof createMetrics>;
    readonly log: Log;
  },
): Promise<void> {
  const { config, pool, publisher, redis, metrics, log } = parts;
  if (config.JOBS_POOLS.includes('deploy')) {
    const { startGateAnswers } = await import('./forges/gates/answer-gates.ts');
    const { openGateDrivers } = await import('./forges/gates/open-gates.ts');
    own(startGateAnswers({ pool, publisher, log, drivers: openGateDrivers(config) }));
  }
  // The signing key must not be in a process that runs agents' commands, so the pool `maintenance` seals.
  if (config.JOBS_POOLS.includes('maintenance')) {
    const { startAuditing } = await import('./audit/auditing.ts');
    const auditing = await startAuditing(own, { config, pool, publisher, metrics, log });
    const full = createDiskCheck(() => readDisks(listDiskFolders(config)));
    const looks = [
      ...listRedisChecks(redis),
      ['audit-unwritten', auditing.problem] as const,
      ['disk-filling', full] as const,
    ];
    own(startAdminNotices({ pool, publisher, log, looks }));
  }
}

function listJobs(pools: readonly JobPool[]): readonly JobName[] {
  const names = Object.keys(JOBS) as readonly JobName[]; // JOBS has exactly these keys
  return names.filter((name) => pools.includes(JOBS[name].pool));
}

/** Lists the problems that keep the service from running jobs. */
async function findProblems(pool: Pool, redis: Redis, consumers: readonly QueueConsumer[]): Promise<readonly string[]> {
  const failures = await Promise.all([findDatabaseProblem(pool), findRedisProblem(redis)]);
  const taking = consumers.every((consumer) => consumer.isRunning()) ? null : 'no jobs are taken';
  return [...failures, taking].filter((problem) => problem !== null);
}
