import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { migrate } from '@signalbox/store/migrations/migrate';
import { getServiceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { createDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { startOwnRedis } from '../support/redis.ts';
import { openTcpRelay } from '../support/tcp-relay.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { servicePassword } from '../support/service-login.ts';
import { TEST_SEALING_KEY } from '../support/secrets-key.ts';

// Services that are started before the servers that they need, or whose servers cannot be used yet.

type Service = 'gateway' | 'worker' | 'jobs';
const SERVICES: readonly Service[] = ['gateway', 'worker', 'jobs'];
const UP: Readonly<Record<Service, string>> = {
  gateway: 'gateway started',
  worker: 'worker is up',
  jobs: 'job service is up',
};
const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

test('a service waits for Postgres and Redis, reports this every few seconds and on /readyz, and starts when they answer', async () => {
  const database = await ownDatabase();
  const [postgres, redis] = await Promise.all([relayTo(database), relayTo(inject('redisUrl'))]);
  for (const relay of [postgres, redis]) relay.cut();
  const started = await Promise.all(SERVICES.map((name) => start(name, postgres.url, redis.url)));
  for (const service of started) {
    await until(() => service.lines('waiting').length >= 2, 30_000);
    const [first, second] = service.lines('waiting').map(({ at }) => Date.parse(at));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(2_000);
    const ready = await service.ready();
    expect(ready).toMatch(
      /^503 Postgres at 127\.0\.0\.1:\d+ does not answer: .*\(SERVER_AWAY\)\nRedis at .* does not answer/,
    );
    expect(await service.get('/healthz')).toBe('200 ok\n');
  }
  for (const relay of [postgres, redis]) relay.mend();
  for (const service of started) await until(() => service.lines(UP[service.name]).length === 1, 60_000);
  for (const service of started) expect(service.child.exitCode).toBeNull();
});

test('a service reports on /readyz exactly those of its servers that no longer answer', async () => {
  const database = await ownDatabase();
  const [postgres, redis] = await Promise.all([relayTo(database), relayTo(inject('redisUrl'))]);
  const started = await Promise.all(SERVICES.map((name) => start(name, postgres.url, redis.url)));
  for (const service of started) await until(() => service.lines(UP[service.name]).length === 1, 60_000);
  const says = async (pattern: RegExp): Promise<void> => {
    for (const service of started)
      expect([service.name, await service.ready()]).toEqual([service.name, expect.stringMatching(pattern)]);
  };
  redis.silence('all');
  await says(/^503 (?![^]*Postgres)[^]*Redis does not answer/);
  postgres.silence('all');
  await says(/^503 Postgres does not answer\n[^]*Redis does not answer/);
  redis.mend();
  for (const service of started)
    await until(async () => !(await service.ready()).includes('Redis does not answer'), 30_000);
  await says(/^503 Postgres does not answer/);
});

test('SIGTERM at once ends a service that waits for servers which accept connections and never answer', async () => {
  const silent = await startSilentServer();
  const url = (scheme: string): string => `${scheme}://somebody:secret@127.0.0.1:${silent}/x`;
  const started = await Promise.all(SERVICES.map((name) => start(name, url('postgres'), url('redis'))));
  for (const service of started) {
    await until(async () => (await service.ready()).startsWith('503'), 30_000);
    const asked = performance.now();
    service.child.kill('SIGTERM');
    await once(service.child, 'exit');
    expect(service.child.exitCode).toBe(0);
    expect(performance.now() - asked).toBeLessThan(1_500);
  }
});

test('a wrong password, a missing database and missing migrations are reported with a remedy, and the service waits', async () => {
  const admin = new URL(await ownDatabase());
  const name = `later_${Date.now()}`;
  const wrong = Object.assign(new URL(admin.href), { password: 'wrong' }).href;
  const missing = Object.assign(new URL(admin.href), { pathname: `/${name}` }).href;
  const redis = Object.assign(new URL(inject('redisUrl')), { password: 'wrong' }).href;
  const refused = await start('worker', wrong, redis);
  await until(async () => (await refused.ready()).includes('(LOGIN_REFUSED)\nRedis at'), 30_000);
  expect(await refused.ready()).toMatch(/refuses the login .* Correct the password in DATABASE_URL[^]*in REDIS_URL/);

  const waiting = await start('worker', missing, inject('redisUrl'));
  await until(async () => (await waiting.ready()).includes('(DATABASE_MISSING)'), 30_000);
  expect(await waiting.ready()).toContain(`There is no database ${name} on the Postgres at ${admin.host}. Create it`);
  await query(admin.href, `create database ${name}`);
  closers.push(() => query(admin.href, `drop database ${name} with (force)`));
  await until(async () => (await waiting.ready()).includes('(DATABASE_OUTDATED)'), 30_000);
  await migrate(missing);
  await until(async () => (await waiting.ready()).startsWith('200'), 30_000);
  expect(waiting.child.exitCode).toBeNull();
});

test('a service ends when Redis may evict keys, and names the setting', async () => {
  const redis = await startOwnRedis(['maxmemory-policy allkeys-lru']);
  closers.push(() => redis.stop());
  const service = await start('worker', await ownDatabase(), redis.url);
  if (service.child.exitCode === null) await once(service.child, 'exit');
  expect(service.child.exitCode).toBe(1);
  expect(service.output()).toContain('redis-cli config set maxmemory-policy noeviction');
});

test('a service works although another program uses its probe port, and opens the probe when the port is free', async () => {
  const port = await freePort();
  const foreign = createServer();
  await new Promise<void>((resolve) => foreign.listen(port, '127.0.0.1', resolve));
  const service = await start('worker', await ownDatabase(), inject('redisUrl'), port);
  await until(() => service.lines(UP.worker).length === 1, 60_000);
  expect(service.lines('the probe cannot listen; it is tried again, and the service works without it')).toHaveLength(1);
  await new Promise((resolve) => foreign.close(resolve));
  await until(async () => (await service.ready()).startsWith('200'), 30_000);
});

test.each(['status', 'migrate', 'runs'])(
  'the command %s says within seconds that Postgres does not answer, and what to do',
  async (command) => {
    const env = { DATABASE_URL: 'postgres://somebody:secret@127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1/0' };
    const begun = performance.now();
    const child = run('cli', [command], env);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
    await once(child, 'close');
    expect(text).toMatch(/^Postgres at 127\.0\.0\.1:1 does not answer: .* Start it, or correct DATABASE_URL\.$/m);
    expect(text).not.toMatch(/^ +at /m);
    expect(child.exitCode).toBe(1);
    expect(performance.now() - begun).toBeLessThan(15_000); // with the time that it takes to load
  },
);

test('the command queues says that Redis does not answer, and shows the queues in Postgres', async () => {
  const env = { DATABASE_URL: await ownDatabase(), REDIS_URL: 'redis://127.0.0.1:1/0' };
  const child = run('cli', ['queues'], env);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  const begun = performance.now();
  await once(child, 'close');
  expect(text).toMatch(/POOL[^]*Redis/);
  expect(performance.now() - begun).toBeLessThan(20_000);
});

interface StartedService {
  readonly name: Service;
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly lines: (message: string) => readonly { readonly at: string }[];
  readonly get: (path: string) => Promise<string>;
  readonly ready: () => Promise<string>;
}

/** The same place with the login of a service, where the address is that of the owner. */
function loginTo(databaseUrl: string, service: ServiceWithLogin): string {
  const owner = new URL(inject('databaseUrl'));
  const url = new URL(databaseUrl);
  if (url.username !== owner.username || url.password !== owner.password) return databaseUrl;
  return Object.assign(url, { username: getServiceRole(service), password: servicePassword(owner.href, service) }).href;
}

async function start(name: Service, databaseUrl: string, redisUrl: string, probePort = 0): Promise<StartedService> {
  const port = probePort || (await freePort());
  const folder = makeTemporaryFolder(`away-${name}`);
  const child = run(name, [], {
    DATABASE_URL: loginTo(databaseUrl, name === 'jobs' ? 'maintenance' : name),
    REDIS_URL: redisUrl,
    REDIS_PREFIX: `${folder}:`,
    JOBS_POOLS: 'maintenance',
    PROBE_PORT: String(port),
    TELEGRAM_BOT_TOKEN: '1:nobody',
    TELEGRAM_API_ROOT: 'http://127.0.0.1:1',
    MODEL: 'offline',
    SECRETS_KEY_FILE: join(folder, 'secrets.key'),
    SECRETS_SEALING_KEY: TEST_SEALING_KEY,
    AUDIT_CHECKPOINT_DIR: join(folder, 'audit'),
    WORKSPACE_DIR: join(folder, 'workspaces'),
    TARGETS_DIR: join(folder, 'targets'),
    DEPLOY_DIR: join(folder, 'deploys'),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  const get = (path: string): Promise<string> =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => 'nobody',
    );
  return {
    name,
    child,
    output: () => text,
    lines: (message) =>
      text
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { readonly at: string; readonly message: string })
        .filter((entry) => entry.message === message),
    get,
    ready: () => get('/readyz'),
  };
}

function run(service: Service | 'cli', words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const main = join(getCheckoutPath(), 'services', service, 'src/main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', main, ...words], {
    cwd: makeTemporaryFolder('cwd'), // where there is no .env
    env: { PATH: loadTestConfig().path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closers.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

async function ownDatabase(): Promise<string> {
  const database = await createDatabase();
  closers.push(() => database.drop());
  return database.url;
}

async function relayTo(url: string) {
  const relay = await openTcpRelay(Number(new URL(url).port));
  closers.push(() => relay.close());
  return { ...relay, url: Object.assign(new URL(url), { port: String(relay.port) }).href };
}

async function startSilentServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
