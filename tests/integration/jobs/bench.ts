import { randomBytes } from 'node:crypto';
import { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { JobSpec } from '@signalbox/contracts/operations/jobs';
import { openPool, type Pool } from '@signalbox/store/pool';
import { Runs } from '@signalbox/store/conversation/runs';
import { closeAll, type Closable, type Own } from '@signalbox/platform/lifecycle';
import { createLog, type Log } from '@signalbox/platform/log';
import { NO_TRACING } from '@signalbox/platform/tracing/tracing';
import { createMetrics } from '@signalbox/platform/probe';
import { consumeQueue } from '@signalbox/platform/queue/consume';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { createQueue, type Queue } from '@signalbox/platform/queue/queue';
import { closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { createSecretCipher } from '@signalbox/safety/secrets/cipher';
import { loadConfig } from '@signalbox/jobs/config';
import type { JobHandler, JobHandlers } from '@signalbox/jobs/runner/handlers';
import { createLeasedRuns } from '@signalbox/jobs/runner/leased-runs';
import { createJobMetrics } from '@signalbox/jobs/metrics';
import { createSecretOpener } from '@signalbox/jobs/runner/open-secret';
import { createRunner } from '@signalbox/jobs/runner/runner';
import { createJobService, type JobService } from '@signalbox/jobs/job-service';
import { startSweeper } from '@signalbox/jobs/runner/sweeper';
import { inject, vi } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { TEST_SECRETS_KEY } from '../../support/secrets-key.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

type IndexResult = { files: number; passages: number; changed: number };
export type IndexHandler = JobHandler<Record<string, never>, IndexResult>['run'];
export type JobFinished = Extract<InboundEnvelope, { kind: 'job-finished' }>;

export const INDEXED: IndexResult = { files: 1, passages: 2, changed: 1 };

/** What the services of a bench seal and open secrets with. */
export const TEST_CIPHER = createSecretCipher(Buffer.from(TEST_SECRETS_KEY, 'base64'));

/** Short, so that a dead process is noticed within a test. */
const LEASE_MS = 1_000;
const SWEEP_MS = 200;
/** A handler that does not listen is left behind after this. */
const SETTLE_MS = 1_000;

/** Waits until this is true, and gives what was found. */
export const until = <T>(look: () => T | Promise<T>) => vi.waitUntil(look, { timeout: 20_000, interval: 20 });

/** A database, a key prefix, and processes' worth of parts that run jobs against them. */
export interface JobsBench {
  readonly databaseUrl: string;
  readonly prefix: string;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly runs: Runs;
  readonly queue: Queue;
  /** Settings of a service, as environment variables. */
  environment(settings?: Readonly<Record<string, string>>): Record<string, string>;
  startService(settings?: Readonly<Record<string, string>>): Promise<JobService & Closable>;
  /** What a service does with runs, with a handler of the test's own for `knowledge.index`. */
  startRunner(run: IndexHandler, limits?: Partial<Pick<JobSpec, 'attempts' | 'deadlineMs' | 'stallMs'>>): Closable;
  /** What a tool does to start a job. */
  ask(runId: string, userKey?: string): Promise<void>;
  /** What the person's inbox got from jobs. */
  told(userKey?: string): Promise<readonly JobFinished[]>;
  close(): Promise<void>;
}

export async function openJobsBench(redisUrl: string = inject('redisUrl')): Promise<JobsBench> {
  const database = await createDatabase();
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const auditDir = makeTemporaryFolder('audit');
  const log: Log = createLog('test', 'silent');
  const pool = openPool(database.url, log, { name: 'test', max: 8, as: 'owner' });
  const redis = openRedis(redisUrl, log);
  const queue = createQueue({ redisUrl, prefix, log });
  const runs = new Runs(pool);
  const started = new Set<Closable>();

  const group = (): { own: Own; closable: Closable } => {
    const parts: Closable[] = [];
    const closable = {
      close: async () => {
        started.delete(closable);
        if ((await closeAll(parts.splice(0), log)) > 0) throw new Error('a part could not be closed');
      },
    };
    started.add(closable);
    const own: Own = (part) => {
      parts.push(part);
      return part;
    };
    return { own, closable };
  };

  const bench: JobsBench = {
    databaseUrl: database.url,
    prefix,
    pool,
    redis,
    runs,
    queue,
    environment: (settings = {}) => ({
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: prefix,
      SECRETS_KEY: TEST_SECRETS_KEY,
      JOBS_LEASE_MS: String(LEASE_MS),
      JOBS_SWEEP_MS: String(SWEEP_MS),
      LOG_LEVEL: 'silent',
      AUDIT_CHECKPOINT_DIR: auditDir,
      ...settings,
    }),
    startService: async (settings) => {
      const { own, closable } = group();
      const service = await createJobService(own, loadConfig(bench.environment(settings)), log);
      return { ...service, ...closable };
    },
    startRunner: (run, limits = {}) => {
      const { own, closable } = group();
      const held = own(createLeasedRuns({ runs, leaseMs: LEASE_MS, log }));
      const handlers: JobHandlers = {
        'knowledge.index': { title: () => 'Indexing', run, say: () => 'Indexed.', isNotable: () => true },
        'approvals.watch': {
          title: () => 'Watch',
          run: async () => ({ expired: 0, escalated: 0, reminded: 0, voided: 0 }),
          say: () => '',
          isNotable: () => false,
        },
        'threads.expire': {
          title: () => 'Expiry',
          run: async () => ({ expired: 0 }),
          say: () => '',
          isNotable: () => false,
        },
      };
      const spec = { attempts: 3, deadlineMs: 20_000, ...limits };
      const handle = createRunner({
        runs,
        held,
        handlers,
        leaseMs: LEASE_MS,
        log,
        openSecret: createSecretOpener({ pool, cipher: TEST_CIPHER }),
        metrics: createJobMetrics(createMetrics('test')),
        tracing: NO_TRACING,
        wake: async () => undefined,
        announce: async () => undefined,
        settleMs: SETTLE_MS,
        limits: { 'knowledge.index': spec, 'threads.expire': spec, 'approvals.watch': spec },
      });
      own(consumeQueue({ redisUrl, prefix, pool: 'maintenance', concurrency: 4, leaseMs: LEASE_MS, log, handle }));
      // Without schedules: what runs is what the test asked for.
      const unscheduled = { enqueue: queue.enqueue, ensureSchedules: async () => undefined };
      own(
        startSweeper({ runs, queue: unscheduled, pools: ['maintenance'], everyMs: SWEEP_MS, leaseMs: LEASE_MS, log }),
      );
      return closable;
    },
    ask: async (runId, userKey = '1001') => {
      const person = { userKey, chatKey: `telegram:${userKey}` };
      const run = { runId, job: 'knowledge.index' as const, payload: {}, person, threadId: null, traceId: 'trc_test' };
      await enqueueRun({ runs, queue, log }, run);
    },
    told: async (userKey = '1001') => {
      const { rows } = await pool.query<{ envelope: unknown }>(
        `select envelope from inbox where user_key = $1 and channel = 'jobs' order by id`,
        [userKey],
      );
      return rows
        .map((row) => InboundEnvelope.parse(row.envelope))
        .filter((envelope) => envelope.kind === 'job-finished');
    },
    close: async () => {
      for (const part of started) await part.close();
      await queue.close();
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
  return bench;
}
