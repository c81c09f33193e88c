import { createSimulator } from '@signalbox/telegram-simulator/server';
import esbuild from 'esbuild';
import pg from 'pg';
import { startBenchServers } from '../../support/bench-servers.ts';
import { openLoad } from './load.ts';
import { openLangGraphServer } from './langgraph-server.ts';
import { buildNaiveGraph } from './naive-graph.ts';
import { cpuOf, memoryOf, startProcess, type Process } from './processes.ts';

/** People that an installation of some size has: what a turn costs must not grow with them. */
const PEOPLE = 20_000;
const FIRST_PERSON = 100_000;
const NAIVE_TOKEN = '200:simulator';
/** Where the programs of the bench are built to: inside the checkout, so that they find its packages. */
const BUILT = '.signalbox/bench';

/** Starts the product and the naive bot as processes of their own over one Postgres and one Redis with their normal settings. */
export async function openPeers(
  dir: string,
  options: {
    /** Starts LangGraph's server as well, with so many runs at once. */
    readonly langGraphRuns?: number;
    /** A folder to which the gateway and the worker write a CPU profile when they end. */
    readonly profileTo?: string;
    /** Both bots ask this model server, and the worker is the one that ships; else the fixed model is in their processes. */
    readonly modelUrl?: string;
  },
) {
  await build();
  const [ours, theirs] = [await createSimulator({}), await createSimulator({ token: NAIVE_TOKEN })];
  const started = await startBenchServers(dir, ours.url);
  const { postgres, redis } = started;
  const { modelUrl } = options;
  const db = new pg.Pool({ connectionString: postgres.url, max: 4 });
  await seed(db);
  const profiled = (service: string): readonly string[] =>
    options.profileTo === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${options.profileTo}`, `--cpu-prof-name=${service}.cpuprofile`];
  const startWorker = (name: string): Promise<Process> =>
    startProcess(
      name,
      [...profiled(name), modelUrl === undefined ? `${BUILT}/scripted-worker.js` : 'services/worker/dist/main.js'],
      started.env('worker', { WORKER_NAME: name, ...(modelUrl === undefined ? {} : askAt(modelUrl)) }),
    );
  const fast = started.env('gateway', { TELEGRAM_CHAT_SENDS_PER_SECOND: '1000', INBOUND_BURST: '10000' });
  const gateway = await startProcess('gateway', [...profiled('gateway'), 'services/gateway/dist/main.js'], fast);
  const workers = [await startWorker('worker-1')];
  const naive = await startProcess('naive bot', [`${BUILT}/naive-bot.js`], {
    DATABASE_URL: await createNaiveDatabase(db, postgres.url),
    TELEGRAM_API_ROOT: theirs.url,
    TELEGRAM_BOT_TOKEN: NAIVE_TOKEN,
    ...(modelUrl === undefined ? {} : { MODEL_URL: modelUrl }),
  });
  const { langGraphRuns } = options;
  const langGraphServer = langGraphRuns === undefined ? null : await openLangGraphServer(langGraphRuns);
  const servers = (): number => cpuOf(postgres.pid) + cpuOf(redis.pid);
  /** Milliseconds of CPU that the product has used so far, by process. */
  const cpuBy = () => ({
    gateway: cpuOf(gateway.pid),
    worker: workers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
    Postgres: cpuOf(postgres.pid),
    Redis: cpuOf(redis.pid),
  });
  let person = FIRST_PERSON;
  return {
    db,
    databaseUrl: postgres.url,
    product: {
      load: await openLoad(ours.url),
      cpu: () => Object.values(cpuBy()).reduce((sum, ms) => sum + ms, 0),
      cpuBy,
      /** Megabytes of the workers. */
      workerMemory: () => workers.reduce((sum, { pid }) => sum + memoryOf(pid), 0),
    },
    naive: { load: await openLoad(theirs.url), cpu: () => servers() + cpuOf(naive.pid) },
    langGraphServer,
    bareGraph: buildNaiveGraph(null),
    /** Ids of people who have not written yet. */
    nextPeople: (count: number): readonly number[] => Array.from({ length: count }, () => person++),
    /** Removes the projects that turns made, and their dead rows, which the next round would read past. Returns how many there were. */
    removeProjects: async (): Promise<number> => {
      const { rowCount } = await db.query(`delete from projects where name like 'pj-%'`);
      await db.query('vacuum projects');
      return rowCount ?? 0;
    },
    /** The worker ends and another takes its place, which knows no conversation. */
    replaceWorker: async () => {
      await workers.shift()?.stop();
      workers.push(await startWorker('worker-1'));
    },
    addWorker: async () => {
      const added = await startWorker(`worker-${workers.length + 1}`);
      workers.push(added);
      return async () => {
        workers.splice(workers.indexOf(added), 1);
        await added.stop();
      };
    },
    close: async () => {
      await Promise.all([gateway, ...workers, naive].map((one) => one.stop()));
      await Promise.all([ours.close(), theirs.close(), langGraphServer?.close()]);
      await db.end();
      await started.stop();
    },
  };
}

export type Peers = Awaited<ReturnType<typeof openPeers>>;

function askAt(modelUrl: string): Readonly<Record<string, string>> {
  return { MODEL: 'openai_compatible:slow', OPENAI_COMPATIBLE_BASE_URL: modelUrl };
}

/** Builds the bench's own programs, because no loader runs in a measured process. `npm run bench` has built the product. */
async function build(): Promise<void> {
  const entryPoints = ['tests/bench/peers/scripted-worker.ts', 'tests/bench/peers/naive-bot.ts'];
  await esbuild.build({
    entryPoints,
    outdir: BUILT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
}

async function seed(db: pg.Pool): Promise<void> {
  await db.query(
    `insert into users (user_key, channel, name, role) select n::text, 'telegram', 'P' || n, 'developer' from generate_series($1::int, $2::int) n`,
    [FIRST_PERSON, FIRST_PERSON + PEOPLE - 1],
  );
  await db.query(
    `insert into projects (name, description, owner, action_id) values ('shop', 'Tea', '100000', 'act_bench')`,
  );
  await db.query('create table bench_commit (body bytea)');
  // No other table has rows yet, and an installation never analyzes empty ones: later plans would take them for small.
  await db.query('analyze users');
}

async function createNaiveDatabase(db: pg.Pool, url: string): Promise<string> {
  await db.query('create database naive');
  const naive = new URL(url);
  naive.pathname = '/naive';
  return naive.href;
}
