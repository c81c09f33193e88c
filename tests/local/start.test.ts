import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { readLiveRunRecord, readRunRecord } from '@signalbox/local/supervisor/instance';
import { discardPostgres } from '@signalbox/local/postgres/postgres';
import { identifyProcess } from '@signalbox/local/supervisor/process-identity';
import { discardRedis } from '@signalbox/local/redis/redis';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually, until } from '../support/until.ts';

// The whole of `npm start`, with a data folder of its own: every server, every service.

const bootstrap = join(getCheckoutPath(), 'infra/local/bootstrap.mjs');
const START_TIMEOUT_MS = 120_000;
/** What only those who need it may have. */
const OF_ONE_SERVICE = new Set([
  'AUDIT_CHECKPOINT_DIR',
  'AUDIT_KEY_FILE',
  'OPENAI_API_KEY',
  'PROXY_SOCKET',
  'SECRETS_KEY_FILE',
  'SECRETS_SEALING_KEY',
  'TELEGRAM_BOT_TOKEN',
  'WEB_START_KEY',
  'SIMULATOR_KEY',
]);
/** What whoever starts it has in their environment, and no service asks for. */
const OF_NOBODY = { CLOUD_TOKEN: 'canary-of-a-cloud', LANGSMITH_API_KEY: 'canary-of-a-tracer', NODE_NO_WARNINGS: '1' };
let dir = '';
let env: Record<string, string> = {};
let first: Running;

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

beforeAll(async () => {
  dir = makeTemporaryFolder('start');
  const simulatorPort = String(await findFreePort());
  const { path } = loadTestConfig();
  env = { PATH: path, SIGNALBOX_DATA_DIR: dir, SIMULATOR_PORT: simulatorPort, SIGNALBOX_WORKERS: '2' };
  env['OPENAI_API_KEY'] = 'not a key'; // of a model that is not used
  env['MODEL'] = 'offline';
  Object.assign(env, OF_NOBODY);
  first = run('start');
  await untilReady(first);
}, START_TIMEOUT_MS);

afterAll(async () => {
  first.child.kill('SIGTERM');
  await end(first);
  await Promise.all([discardPostgres(join(dir, 'postgres')), discardRedis(join(dir, 'redis'))]);
}, START_TIMEOUT_MS);

test('`npm start` prints that it is ready, and then six lines about its services', () => {
  const [, after = ''] = first.output().split(/^ready in [\d.]+ s\n/m);
  expect(after.trimEnd().split('\n').slice(0, 6)).toEqual([
    expect.stringMatching(/Telegram {3}http:\/\/127\.0\.0\.1:\d+\/[\da-f]{48}\/ \(simulated\)$/),
    expect.stringMatching(/web page {3}http:\/\/localhost:\d+\/[\da-f]{48}\/$/),
    expect.stringContaining('npm run chat'),
    expect.stringContaining('offline'),
    expect.stringMatching(/Postgres 127\.0\.0\.1:\d+, Redis 127\.0\.0\.1:\d+/),
    expect.stringContaining('Ctrl-C'),
  ]);
});

test('run.json lists every program, with the configured number of workers', async () => {
  const services = readLiveRunRecord(dir)?.services ?? [];
  const jobs = ['jobs-agents', 'jobs-analysis', 'jobs-deploy', 'jobs-maintenance'];
  const names = services.map(({ name }) => name).toSorted();
  expect(names).toEqual(['gateway', ...jobs, 'proxy', 'simulator', 'worker-1', 'worker-2']);
  for (const { probeUrl } of services) expect((await fetch(probeUrl)).status).toBe(200);
});

const environments = (): ReadonlyMap<string, Readonly<Record<string, string>>> =>
  new Map(
    (readLiveRunRecord(dir)?.services ?? []).map(({ name, pid }) => {
      const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').slice(0, -1);
      return [name, Object.fromEntries(lines.map((line) => [line.replace(/=.*/s, ''), line.replace(/^[^=]*=/, '')]))];
    }),
  );

test('files with personal data or secrets can be read by their owner only', () => {
  expect(openToOthers(dir)).toEqual([]);
});

test('each process of `npm start` has only its own secrets and variables', () => {
  const held = Object.fromEntries(
    [...environments()].map(([name, variables]) => [
      name,
      Object.keys(variables)
        .filter((variable) => OF_ONE_SERVICE.has(variable) || variable in OF_NOBODY)
        .toSorted(),
    ]),
  );
  expect(held).toEqual({
    simulator: ['SIMULATOR_KEY'],
    proxy: ['PROXY_SOCKET'],
    gateway: ['SECRETS_SEALING_KEY', 'TELEGRAM_BOT_TOKEN', 'WEB_START_KEY'],
    'worker-1': ['OPENAI_API_KEY'],
    'worker-2': ['OPENAI_API_KEY'],
    'jobs-maintenance': ['AUDIT_CHECKPOINT_DIR', 'AUDIT_KEY_FILE'],
    'jobs-agents': [],
    'jobs-deploy': ['PROXY_SOCKET', 'SECRETS_KEY_FILE'],
    'jobs-analysis': ['OPENAI_API_KEY'], // it plans and writes changes of code
  });
});

test('each service logs in to Postgres and Redis as itself, and only its own environment contains its password', async () => {
  const run = readLiveRunRecord(dir);
  const logins = [...environments()].flatMap(([name, { DATABASE_URL, REDIS_URL }]) =>
    DATABASE_URL && REDIS_URL ? [{ name, database: new URL(DATABASE_URL), redis: new URL(REDIS_URL) }] : [],
  );
  expect(logins.map(({ name, database, redis }) => [name, database.username, redis.username])).toEqual([
    ['gateway', 'signalbox_gateway', 'gateway'],
    ['worker-1', 'signalbox_worker', 'worker'],
    ['worker-2', 'signalbox_worker', 'worker'],
    ['jobs-maintenance', 'signalbox_maintenance', 'maintenance'],
    ['jobs-agents', 'signalbox_agents', 'agents'],
    ['jobs-deploy', 'signalbox_deploy', 'deploy'],
    ['jobs-analysis', 'signalbox_analysis', 'analysis'],
  ]);
  const owner = new pg.Client({ connectionString: run?.databaseUrl });
  await owner.connect();
  // A pool without work opens no connection before it first looks for some.
  const seen = await eventually(
    async () => {
      const { rows } = await owner.query<{ usename: string }>(
        `select distinct usename from pg_stat_activity where application_name ~ '^signalbox-(gateway|worker|jobs)'`,
      );
      return rows.map(({ usename }) => usename).toSorted();
    },
    (names) => names.length > 5,
    40_000,
  );
  await owner.end();
  expect(seen).toEqual(
    ['agents', 'analysis', 'deploy', 'gateway', 'maintenance', 'worker'].map((name) => `signalbox_${name}`),
  );
  const passwords = [...new Set(logins.flatMap(({ database, redis }) => [database.password, redis.password]))];
  expect(passwords).toHaveLength(6);
  const shown = [
    first.output(),
    ...(run?.services ?? []).map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    ...filesBelow(dir, (file) => !file.includes('/postgres/data/')).map((file) => readFileSync(file, 'latin1')),
  ];
  for (const password of passwords) expect(shown.filter((text) => text.includes(password))).toEqual([]);
});

test('each key of a data folder has a folder of its own, which only its owner can read', () => {
  const mode = (path: string): string => (statSync(join(dir, path)).mode & 0o777).toString(8);
  for (const folder of ['keys', 'keys/secrets', 'keys/audit', 'audit', 'logs', 'simulator'])
    expect(mode(folder)).toBe('700');
  for (const file of ['keys/secrets/secrets.key', 'keys/audit/signing-key.pem', 'run.json', 'redis/redis.conf'])
    expect(mode(file)).toBe('600');
});

test.each([
  ['agents', ['flushall']],
  ['agents', ['flushdb']],
  ['agents', ['config', 'get', '*']],
  ['agents', ['acl', 'list']],
  ['agents', ['keys', '*']],
  ['agents', ['scan', '0']],
  ['agents', ['client', 'list']],
  ['agents', ['function', 'list']],
  ['agents', ['get', '{jobs}:deploy:meta']],
  ['agents', ['get', '{jobs}:maintenance:meta']],
  ['agents', ['publish', 'stop', '1001']],
  ['agents', ['get', 'thread:sequence:1001']],
  ['agents', ['rpush', 'file:asked:telegram:bot', 'x']],
  ['agents', ['lpop', 'file:given:x']],
  ['deploy', ['lpush', '{jobs}:agents:wait', 'x']],
  ['analysis', ['lpush', '{jobs}:deploy:wait', 'x']],
  ['maintenance', ['lpush', '{jobs}:deploy:wait', 'x']],
  ['gateway', ['lpush', '{jobs}:deploy:wait', 'x']],
  ['gateway', ['config', 'set', 'maxmemory-policy', 'allkeys-lru']],
  ['worker', ['shutdown']],
  ['worker', ['replicaof', '127.0.0.1', '1']],
] as const)('the Redis user of %s cannot run %j', async (service, [command, ...words]) => {
  const urls = [...environments().values()].flatMap(({ REDIS_URL = '' }) => REDIS_URL);
  const url = urls.find((one) => one !== '' && new URL(one).username === service);
  const redis = openRedis(url ?? '', createLog('test', 'silent'));
  try {
    await expect(redis.call(command, ...words)).rejects.toThrow(/NOPERM/);
  } finally {
    await closeRedis(redis);
  }
});

test('a killed proxy is restarted at once with the same socket', async () => {
  const proxy = () => readRunRecord(dir)?.services.find(({ name }) => name === 'proxy');
  const before = proxy();
  if (!before) throw new Error('there is no proxy');
  process.kill(before.pid, 'SIGKILL');
  await until(() => proxy()?.pid !== before.pid);
  await until(
    () =>
      fetch(before.probeUrl).then(
        ({ ok }) => ok,
        () => false,
      ),
    30_000,
  );
  expect(first.output()).toContain('proxy ended (SIGKILL); it starts again in 0.02 s');
});

test('no other program can listen on the port of the simulator at any address of this machine', async () => {
  const [, port = ''] = /Telegram {3}http:\/\/127\.0\.0\.1:(\d+)\//.exec(first.output()) ?? [];
  expect(port).not.toBe('');
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::'])
    expect([host, await canListen(host, Number(port))]).toEqual([host, false]);
});

test('no other program can listen on the port of the web page while its gateway restarts', async () => {
  const gateway = () => readRunRecord(dir)?.services.find(({ name }) => name === 'gateway');
  const before = gateway();
  const [, port = ''] = /web page {3}http:\/\/localhost:(\d+)\//.exec(first.output()) ?? [];
  if (!before || port === '') throw new Error('there is no page');
  let stolen = 0;
  const isBack = async (): Promise<boolean> => {
    for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) stolen += (await canListen(host, Number(port))) ? 1 : 0;
    return (
      gateway()?.pid !== before.pid &&
      (await fetch(before.probeUrl).then(
        ({ ok }) => ok,
        () => false,
      ))
    );
  };
  process.kill(before.pid, 'SIGKILL');
  await until(isBack, 30_000);
  expect(stolen).toBe(0);
  for (const host of ['127.0.0.1', '[::1]']) expect((await fetch(`http://${host}:${port}/`)).status).toBe(200);
});

test('a person who writes in the terminal chat is answered', async () => {
  const chat = run('chat', '--as', '1001', '--json', 'hello');
  expect(await end(chat)).toBe(0);
  const [answer] = chat.output().trim().split('\n');
  expect(JSON.parse(answer ?? '')).toMatchObject({ from: 'Signalbox', text: expect.stringMatching(/hello/i) });
});

test('a second `npm start` in the same data folder is refused', async () => {
  const second = run('start');
  expect(await end(second)).toBe(1);
  expect(second.output()).toContain(`Signalbox is already running (pid ${readRunRecord(dir)?.pid})`);
});

test(
  'all processes end when `npm start` is killed, and the next start uses the same databases',
  { timeout: START_TIMEOUT_MS },
  async () => {
    const before = readRunRecord(dir);
    if (before === null) throw new Error('nothing was recorded');
    const redis = Number(readFileSync(join(dir, 'redis/redis.pid'), 'utf8'));
    process.kill(before.pid, 'SIGKILL');
    await end(first);
    const left = (): boolean =>
      before.services.some((service) => identifyProcess(service.pid)?.startMark === service.startMark) ||
      identifyProcess(redis) !== null;
    await until(() => !left(), 30_000);
    first = run('start');
    await untilReady(first);
    const after = readRunRecord(dir);
    expect(after).toMatchObject({ databaseUrl: before.databaseUrl, redisUrl: before.redisUrl });
  },
);

test('Ctrl-C ends all processes, and `npm start` exits cleanly', { timeout: START_TIMEOUT_MS }, async () => {
  const { services = [] } = readRunRecord(dir) ?? {};
  const redis = Number(readFileSync(join(dir, 'redis/redis.pid'), 'utf8'));
  first.child.kill('SIGINT');
  expect(await end(first)).toBe(0);
  expect(services.filter(({ pid }) => identifyProcess(pid) !== null)).toEqual([]);
  expect(identifyProcess(redis)).toBeNull();
  for (const file of ['run.json', 'lock']) expect(existsSync(join(dir, file))).toBe(false);
  const chat = run('chat', 'hello');
  expect(await end(chat)).toBe(1);
  expect(chat.output()).toContain('npm start');
});

function run(...words: string[]): Running {
  const child = spawn(process.execPath, [bootstrap, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return { child, output: () => output };
}

async function untilReady(running: Running): Promise<void> {
  await until(() => /Ctrl-C\n/.test(running.output()) || running.child.exitCode !== null, START_TIMEOUT_MS);
  expect(running.output()).toMatch(/^ready in /m);
}

async function end({ child }: Running): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode;
}

function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function filesBelow(folder: string, isMeant: (file: string) => boolean): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isMeant);
}

/** What anybody who is logged in here can list or read below a folder that they may pass through. */
function openToOthers(folder: string, below = ''): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // Programs of Debian's are no data.
    if (entry.isSymbolicLink() || entry.name.endsWith('-bin')) return [];
    const { mode } = statSync(path);
    const name = join(below, entry.name);
    const open = (mode & 0o004) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`];
    return entry.isDirectory() && (mode & 0o001) !== 0 ? [...open, ...openToOthers(path, name)] : open;
  });
}
