import { randomBytes } from 'node:crypto';
import { runCommandLine } from '@signalbox/cli/command-line';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import { createGateway } from '@signalbox/gateway/gateway';
import { loadConfig as loadGatewayConfig } from '@signalbox/gateway/config';
import { loadConfig as loadJobsConfig } from '@signalbox/jobs/config';
import { createJobService } from '@signalbox/jobs/job-service';
import { loadConfig as loadProxyConfig } from '@signalbox/proxy/config';
import { createProxy } from '@signalbox/proxy/proxy';
import { openPool, type Pool } from '@signalbox/store/pool';
import { closeAll, type Closable, type RegisterClosable } from '@signalbox/platform/lifecycle';
import { createLog, type Log } from '@signalbox/platform/log';
import { loadConfig as loadWorkerConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { createWorker, type WorkerWiring } from '@signalbox/worker/worker';
import { inject } from 'vitest';
import { loadTestConfig } from './config.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { checkReplay } from './replay-check.ts';
import { requireEqualLedger } from './ledger-world.ts';
import { openPerson, type Person } from './person.ts';
import { openWiring, START_KEY, type Wiring } from './wiring.ts';
import { SAMPLE_AGENTS } from '@signalbox/local/config';

/** The whole product in one process: simulated Telegram over HTTP, real Postgres and Redis. */
export interface Stack {
  readonly pool: Pool;
  /** The owner's address, for assertions and the command line. No service has it. */
  readonly databaseUrl: string;
  /** How each service is started. */
  readonly wiring: Wiring;
  /** The administrator's address. */
  readonly redisUrl: string;
  readonly prefix: string;
  readonly simulatorUrl: string;
  /** Ports of /metrics and /readyz of the running services, by name. */
  readonly probePorts: ReadonlyMap<string, number>;
  /** Somebody to speak as. Unknown ids are added to the simulator and, with a role, to the users. */
  person(id: number, role?: string): Promise<Person>;
  startWorker(name: string, wiring?: Partial<WorkerWiring>): Promise<Closable>;
  /** Ends every process of the product, as an orderly restart does, and starts them again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface StackOptions {
  readonly workers?: number;
  /** Also the pools of jobs, each a service of its own. */
  readonly jobs?: boolean;
  /** Which of those pools; the test starts the others itself. */
  readonly pools?: Wiring['pools'];
  /** Also the proxy, which carries the traffic of what is deployed; `env` says where its folder and its socket are. */
  readonly proxy?: boolean;
  readonly wiring?: Partial<WorkerWiring>;
  readonly env?: Readonly<Record<string, string>>;
  readonly redisUrl?: string;
  /** Where the services log to; otherwise what TEST_LOG says. */
  readonly log?: Log;
  /** A database that is there already, and that the stack drops at its end; otherwise an empty one of its own. */
  readonly database?: TestDatabase;
  /** What the simulated Telegram remembers; otherwise nothing. */
  readonly simulatorDir?: string;
  /** Why its turns cannot be gone through again when it is closed, as those of every other stack are. */
  readonly notReplayed?: string;
  /** Why its ledger and what exists differ when it is closed, as those of no other stack do. */
  readonly unequal?: string;
}

/** Opens a stack of its own: database, key prefix, simulator. Everything is closed by `close`, in reverse. */
export async function openStack(options: StackOptions = {}): Promise<Stack> {
  const log = options.log ?? createLog('test', loadTestConfig().logLevel);
  const parts: Closable[] = [];
  const own: RegisterClosable = (part) => {
    parts.push(part);
    return part;
  };
  const database = options.database ?? (await createDatabase());
  own({ close: () => database.drop() });
  if (options.database) await bringUpToDate(database.url, options.env?.['AGENTS']);
  const simulator = own(await createSimulator({ key: START_KEY, dataDir: options.simulatorDir }));
  const redisUrl = options.redisUrl ?? inject('redisUrl');
  const prefix = `s${randomBytes(4).toString('hex')}:`;
  const wiring = own(
    await openWiring({
      databaseUrl: database.url,
      redisUrl,
      prefix,
      simulatorUrl: simulator.url,
      ...(options.env ? { env: options.env } : {}),
    }),
  );
  const pool = openPool(database.url, log, { name: 'test', max: 8, as: 'owner' });
  own({ close: () => pool.end() });
  const places = parts.length;

  const probePorts = new Map<string, number>();
  const startWorker = async (name: string, more: Partial<WorkerWiring> = options.wiring ?? {}): Promise<Closable> => {
    const config = loadWorkerConfig(wiring.env('worker', { WORKER_NAME: name }));
    const own_: Closable[] = [];
    const worker = await createWorker(
      (part) => {
        own_.push(part);
        return part;
      },
      config,
      log,
      { ...createWiring(config, log), ...more },
    );
    probePorts.set(name, worker.probePort);
    return own({ close: async () => void (await closeAll(own_.splice(0), log)) });
  };
  // What a restart ends and starts again; Telegram, the database and Redis go on.
  let services: Closable[] = [];
  const start = async (): Promise<void> => {
    const ownService: RegisterClosable = (part) => {
      services.push(part);
      return part;
    };
    const note = (name: string, port: number): void => void probePorts.set(name, port);
    if (options.proxy) {
      const proxy = await createProxy(ownService, loadProxyConfig(wiring.env('proxy')), log);
      note('proxy', proxy.probePort);
    }
    const gateway = await createGateway(ownService, loadGatewayConfig(wiring.env('gateway')), log);
    note('gateway', gateway.probe.port);
    for (let i = 1; i <= (options.workers ?? 1); i++) ownService(await startWorker(`worker-${i}`));
    for (const jobPool of options.jobs ? (options.pools ?? wiring.pools) : [])
      note(`jobs-${jobPool}`, (await createJobService(ownService, loadJobsConfig(wiring.env(jobPool)), log)).probePort);
  };
  const stop = async (): Promise<void> => {
    const running = services;
    services = [];
    await closeAll(running, log);
  };
  own({ close: stop });
  await start();

  return {
    pool,
    databaseUrl: database.url,
    wiring,
    redisUrl,
    prefix,
    simulatorUrl: simulator.url,
    probePorts,
    startWorker,
    stop,
    start,
    person: (id, role) => openPerson({ pool, simulatorUrl: simulator.url, id, role: role ?? null }),
    close: async () => {
      await closeAll(parts.splice(places), log);
      try {
        if (options.notReplayed === undefined) await checkReplay(pool, options.wiring?.groups ?? []);
        if (options.unequal === undefined) await requireEqualLedger(pool, wiring.env('agents')['WORKSPACE_DIR'] ?? '');
      } finally {
        await closeAll(parts, log);
      }
    },
  };
}

/** Migrates a database of an earlier release as its owner, with the command line, as `npm start` does. */
async function bringUpToDate(databaseUrl: string, AGENTS = SAMPLE_AGENTS): Promise<void> {
  const say = { out: () => undefined, error: (text: string) => void process.stderr.write(text) };
  if ((await runCommandLine(['migrate'], say, { DATABASE_URL: databaseUrl, AGENTS })) !== 0)
    throw new Error('migrate failed');
}
