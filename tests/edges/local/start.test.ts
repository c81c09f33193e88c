import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutPath } from '@signalbox/local/checkout';
import { findFreePort } from '@signalbox/local/free-port';
import { readLiveRun, readRun } from '@signalbox/local/instance';
import { discardPostgres } from '@signalbox/local/postgres';
import { identifyProcess } from '@signalbox/local/process-identity';
import { discardRedis } from '@signalbox/local/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

// The whole of `npm start`, with a data folder of its own: every server, every service.

const bootstrap = join(checkoutPath(), 'infra/local/bootstrap.mjs');
const START_TIMEOUT_MS = 120_000;
/** What only those who need it may have. */
const OF_ONE_SERVICE = new Set([
  'AUDIT_CHECKPOINT_DIR',
  'OPENAI_API_KEY',
  'PROXY_SOCKET',
  'SECRETS_KEY_FILE',
  'TELEGRAM_BOT_TOKEN',
]);
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
  first = run('start');
  await untilReady(first);
}, START_TIMEOUT_MS);

afterAll(async () => {
  first.child.kill('SIGTERM');
  await end(first);
  await Promise.all([discardPostgres(join(dir, 'postgres')), discardRedis(join(dir, 'redis'))]);
}, START_TIMEOUT_MS);

test('one line says ready, and five say what is up', () => {
  const [, after = ''] = first.output().split(/^ready in [\d.]+ s\n/m);
  expect(after.trimEnd().split('\n').slice(0, 5)).toEqual([
    expect.stringMatching(/chat page {2}http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringContaining('npm run chat'),
    expect.stringContaining('offline'),
    expect.stringMatching(/Postgres 127\.0\.0\.1:\d+, Redis 127\.0\.0\.1:\d+/),
    expect.stringContaining('Ctrl-C'),
  ]);
});

test('run.json names every program, with as many workers as were asked for', async () => {
  const services = readLiveRun(dir)?.services ?? [];
  const jobs = ['jobs-agents', 'jobs-deploy', 'jobs-maintenance'];
  const names = services.map(({ name }) => name).toSorted();
  expect(names).toEqual(['gateway', ...jobs, 'proxy', 'simulator', 'worker-1', 'worker-2']);
  for (const { probeUrl } of services) expect((await fetch(probeUrl)).status).toBe(200);
});

test('each process has its own secrets and no others', () => {
  const held = Object.fromEntries(
    (readLiveRun(dir)?.services ?? []).map(({ name, pid }) => {
      const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((line) => line.split('=')[0] ?? '');
      return [name, names.filter((variable) => OF_ONE_SERVICE.has(variable)).toSorted()];
    }),
  );
  expect(held).toEqual({
    simulator: [],
    proxy: ['PROXY_SOCKET'],
    gateway: ['SECRETS_KEY_FILE', 'TELEGRAM_BOT_TOKEN'],
    'worker-1': ['OPENAI_API_KEY'],
    'worker-2': ['OPENAI_API_KEY'],
    'jobs-maintenance': ['AUDIT_CHECKPOINT_DIR'],
    'jobs-agents': [],
    'jobs-deploy': ['PROXY_SOCKET', 'SECRETS_KEY_FILE'],
  });
});

test('a proxy that is killed is there again at once, at the same socket', async () => {
  const proxy = () => readRun(dir)?.services.find(({ name }) => name === 'proxy');
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

test('a person is answered in the terminal chat', async () => {
  const chat = run('chat', '--as', '1001', '--json', 'hello');
  expect(await end(chat)).toBe(0);
  const [answer] = chat.output().trim().split('\n');
  expect(JSON.parse(answer ?? '')).toMatchObject({ from: 'Signalbox', text: expect.stringMatching(/hello/i) });
});

test('a second start is refused', async () => {
  const second = run('start');
  expect(await end(second)).toBe(1);
  expect(second.output()).toContain(`Signalbox is already running (pid ${readRun(dir)?.pid})`);
});

test(
  'a start after a kill takes over the servers and replaces the services',
  { timeout: START_TIMEOUT_MS },
  async () => {
    const before = readRun(dir);
    if (before === null) throw new Error('nothing was recorded');
    process.kill(before.pid, 'SIGKILL');
    await end(first);
    first = run('start');
    await untilReady(first);
    expect(first.output()).toMatch(/Postgres was left running, taken over/);
    expect(first.output()).toMatch(/Redis was left running, taken over/);
    const after = readRun(dir);
    expect(after).toMatchObject({ databaseUrl: before.databaseUrl, redisUrl: before.redisUrl });
    expect(before.services.filter((service) => identifyProcess(service.pid)?.startMark === service.startMark)).toEqual(
      [],
    );
  },
);

test('stopping ends everything that runs and exits cleanly', { timeout: START_TIMEOUT_MS }, async () => {
  const { services = [] } = readRun(dir) ?? {};
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
