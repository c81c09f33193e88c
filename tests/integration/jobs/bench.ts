import { randomBytes } from 'node:crypto';
import { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import { JobPool, type JobSpec } from '@signalbox/contracts/operations/jobs';
import { openPool, type Pool } from '@signalbox/store/pool';
import { RunStore } from '@signalbox/store/turns/runs';
import { createJobPoolSql } from '@signalbox/store/migrations/service-rows';
import { closeAll, type Closable, type RegisterClosable } from '@signalbox/platform/lifecycle';
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
import { JOB_DEPARTURES, variablesOf } from '../../support/departures.ts';
import { openWiring, type Wiring } from '../../support/wiring.ts';
import { TEST_SECRETS_KEY } from '../../support/secrets-key.ts';

type IndexResult = { files: number; passages: number; changed: number };
export type IndexHandler = JobHandler<Record<string, never>, IndexResult>['run'];
export type JobFinished = Extract<InboundEnvelope, { kind: 'job-finished' }>;

export const INDEXED: IndexResult = { files: 1, passages: 2, changed: 1 };

/** What the services of a bench seal and open secrets with. */
export const TEST_CIPHER = createSecretCipher(Buffer.from(TEST_SECRETS_KEY, 'base64'));

/** Short, so that a dead process is noticed within a test. */
const LEASE_MS = Number(JOB_DEPARTURES['JOBS_LEASE_MS']?.value);
const SWEEP_MS = 200;
/** A handler that does not listen is left behind after this. */
const SETTLE_MS = 1_000;

/** Waits until this is true, and gives what was found. */
export const until = <T>(look: () => T | Promise<T>) => vi.waitUntil(look, { timeout: 20_000, interval: 20 });

/** A database, a key prefix, and processes' worth of parts that run jobs against them. */
export interface JobsBench {
  /** The owner's address, for assertions and the command line. */
  readonly databaseUrl: string;
  /** How each service is started. */
  readonly wiring: Wiring;
  readonly prefix: string;
  readonly pool: Pool;
  readonly redis: Redis;
  readonly runs: RunStore;
  readonly queue: Queue;
  /** All that the service of one pool knows; `JOBS_POOLS` names it, and it is `maintenance` otherwise. */
  environment(settings?: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  startService(settings?: Readonly<Record<string, string>>): Promise<JobService & Closable>;
  /** What a service does with runs, with a handler of the test's own for `knowledge.index`. */
  startRunner(run: IndexHandler, limits?: Partial<Pick<JobSpec, 'attempts' | 'deadlineMs' | 'stallMs'>>): Closable;
  /** What a tool does to start a job. */
  ask(runId: string, userKey?: string): Promise<void>;
  /** What the person's inbox got from jobs. */
  told(userKey?: string): Promise<readonly JobFinished[]>;
  close(): Promise<void>;
}

/**
 * Opens one. `standsFor`: the job of `startRunner` counts as one of that pool at the database, and its runner has that pool's login; the
 * pools of real jobs that tell people things and open secrets cannot be played without a deployment.
 */
export async function openJobsBench(
  redisUrl: string = inject('redisUrl'),
  { standsFor = 'maintenance' }: { readonly standsFor?: JobPool } = {},
): Promise<JobsBench> {
  const database = await createDatabase();
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const log: Log = createLog('test', 'silent');
  const pool = openPool(database.url, log, { name: 'test', max: 8, as: 'owner' });
  const redis = openRedis(redisUrl, log);
  const wiring = await openWiring({ databaseUrl: database.url, redisUrl, prefix });
  // What a tool does, the worker does.
  const queue = createQueue({ redisUrl: wiring.redisUrl('worker'), prefix, log });
  const runs = new RunStore(pool);
  if (standsFor !== 'maintenance')
    await pool.query(
      createJobPoolSql().replace('select case', `select case when job = 'knowledge.index' then '${standsFor}'`),
    );
  const started = new Set<Closable>();

  const group = (): { own: RegisterClosable; closable: Closable } => {
    const parts: Closable[] = [];
    const closable = {
      close: async () => {
        started.delete(closable);
        if ((await closeAll(parts.splice(0), log)) > 0) throw new Error('a part could not be closed');
      },
    };
    started.add(closable);
    const own: RegisterClosable = (part) => {
      parts.push(part);
      return part;
    };
    return { own, closable };
  };

  const bench: JobsBench = {
    databaseUrl: database.url,
    wiring,
    prefix,
    pool,
    redis,
    runs,
    queue,
    environment: ({ JOBS_POOLS: name = 'maintenance', ...settings } = {}) =>
      wiring.env(JobPool.parse(name), {
        ...variablesOf(JOB_DEPARTURES),
        ...settings,
      }),
    startService: async (settings) => {
      const { own, closable } = group();
      const service = await createJobService(own, loadConfig(bench.environment(settings)), log);
      return { ...service, ...closable };
    },
    startRunner: (run, limits = {}) => {
      const { own, closable } = group();
      const mine = openPool(wiring.databaseUrl(standsFor), log, { name: 'test', max: 4, as: standsFor });
      own({ close: () => mine.end() });
      const held = own(createLeasedRuns({ runs: new RunStore(mine), leaseMs: LEASE_MS, log }));
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
        runs: new RunStore(mine),
        held,
        handlers,
        leaseMs: LEASE_MS,
        log,
        openSecret: createSecretOpener({ pool: mine, cipher: TEST_CIPHER }),
        metrics: createJobMetrics(createMetrics('test')),
        tracing: NO_TRACING,
        wake: async () => undefined,
        notify: async () => undefined,
        handOn: async () => undefined,
        settleMs: SETTLE_MS,
        limits: { 'knowledge.index': spec, 'threads.expire': spec, 'approvals.watch': spec },
      });
      const place = { redisUrl: wiring.redisUrl('maintenance'), prefix, pool: 'maintenance' } as const;
      own(consumeQueue({ ...place, concurrency: 4, leaseMs: LEASE_MS, log, handle, requeue: queue.enqueue }));
      // Without schedules: what runs is what the test asked for.
      const unscheduled = { enqueue: queue.enqueue, tick: async () => undefined };
      own(
        startSweeper({
          runs: new RunStore(mine),
          queue: unscheduled,
          pools: ['maintenance'],
          everyMs: SWEEP_MS,
          leaseMs: LEASE_MS,
          log,
        }),
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
      await wiring.close();
      await closeRedis(redis);
      await pool.end();
      await database.drop();
    },
  };
  return bench;
}
