import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@signalbox/local/setup/free-port';
import { INBOUND_TOPIC, OUTBOUND_TOPIC, type StreamTopic } from '@signalbox/contracts/conversation/topics';
import { createLog } from '@signalbox/platform/log';
import { startConsumer } from '@signalbox/platform/streams/consume';
import { migrate } from '@signalbox/store/migrations/migrate';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { locateTestSandbox } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { startOwnRedis } from '../../support/redis.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/until.ts';
import { openTerminal } from './terminal.ts';

/** The model's answer to a trial: a call of the tool that it was told to call. */
const PING = [
  {
    index: 0,
    delta: {
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'a', function: { name: 'ping', arguments: '{"word":"hello"}' } }],
    },
  },
  { index: 0, delta: {}, finish_reason: 'tool_calls' },
]
  .map((choice) => `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [choice] })}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

const sandbox = await locateTestSandbox('the sandbox of doctor');

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly say: string;
  readonly remedy: string | null;
}

describe('signalbox doctor', () => {
  let database: TestDatabase;
  let server: Server;
  let root: string;
  let nobody: string;
  const prefix = `t${randomBytes(4).toString('hex')}:`;
  const folder = makeTemporaryFolder('doctor');

  beforeAll(async () => {
    database = await createDatabase();
    // Stands for everything that is asked over HTTP: services, Telegram, the model's server.
    server = createServer((request, response) => {
      const answers: Record<string, [number, string]> = {
        '/ready': [200, 'ready\n'],
        '/broken': [503, 'postgres: away\nredis: away\n'],
        '/bot1:good/getMe': [
          200,
          '{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"S","username":"signalbox_bot"}}',
        ],
        '/bot1:early/getMe': [200, '{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"S"}}'],
        '/bot1:bad/getMe': [401, '{"ok":false,"error_code":401,"description":"Unauthorized"}'],
        '/v1/chat/completions': request.headers.authorization === 'Bearer right' ? [200, PING] : [401, '{}'],
      };
      const [status, body] = answers[request.url ?? ''] ?? [404, '{}'];
      const type = body === PING ? 'text/event-stream' : 'application/json';
      const isEarly = request.url?.startsWith('/bot1:early/') === true;
      const date = isEarly ? { date: new Date(Date.now() - 5 * 60_000).toUTCString() } : {};
      response.writeHead(status, { 'content-type': type, ...date }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    nobody = `127.0.0.1:${await findFreePort()}`;
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await database.drop();
  });

  const examine = async (environment: Readonly<Record<string, string>> = {}) => {
    const servers = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), REDIS_PREFIX: prefix };
    const nothing = { SIGNALBOX_RUN_FILE: join(folder, 'none.json'), MODEL: 'offline' };
    const { code, json } = await openTerminal({ ...servers, ...nothing, ...environment })('doctor', '--json');
    const { findings } = json as { findings: readonly Finding[] }; // the shape that doctor prints
    return { code, find: (what: string) => findings.find((finding) => finding.what === what) };
  };

  it('finds no problem in a complete installation', async () => {
    const log = createLog('test', 'silent');
    const common = {
      redisUrl: inject('redisUrl'),
      prefix,
      partitions: 1,
      consumer: 'c',
      slots: () => 1,
      waiting: () => 0,
      log,
    };
    const consume = (topic: StreamTopic) =>
      startConsumer({
        ...common,
        topic,
        ...(topic.branch ? { branch: 'telegram' } : {}),
        handle: async () => ({ work: Promise.resolve() }),
        onUnreadable: async () => undefined,
      });
    const before = await examine();
    expect(before.find('streams')).toMatchObject({ state: 'warn' });
    expect(before.code).toBe(0);
    const consumers = [INBOUND_TOPIC, OUTBOUND_TOPIC].map(consume);
    const runFile = join(folder, 'run.json');
    const services = [{ name: 'gateway', probeUrl: `${root}/ready` }];
    writeFileSync(runFile, JSON.stringify({ simulatorUrl: null, services }));
    const environment = { SIGNALBOX_RUN_FILE: runFile, TELEGRAM_BOT_TOKEN: '1:good', TELEGRAM_API_ROOT: root };
    const report = await eventually(
      () => examine(environment),
      ({ find }) => find('streams')?.state === 'ok',
    );
    const all = [
      'Node',
      'Postgres',
      'migrations',
      'Redis',
      'eviction',
      'append-only file',
      'streams',
      'gateway',
      'Telegram',
      'model',
    ];
    expect(all.map((what) => [what, report.find(what)?.state])).toEqual(all.map((what) => [what, 'ok']));
    expect(report.find('Telegram')?.say).toContain('@signalbox_bot');
    expect(report.code).toBe(0);
    for (const consumer of consumers) await consumer.close();
  });

  it('names the servers that do not answer with a remedy, and shows no password', async () => {
    const { code, find } = await examine({
      DATABASE_URL: `postgres://u:hush-hush@${nobody}/x`,
      REDIS_URL: `redis://:hush-hush@${nobody}`,
    });
    expect(code).toBe(1);
    expect(find('Postgres')).toMatchObject({ state: 'fail', say: 'does not answer: ECONNREFUSED' });
    expect(find('Redis')).toMatchObject({ state: 'fail', say: 'does not answer: ECONNREFUSED' });
    expect(JSON.stringify([find('Postgres'), find('Redis')])).not.toContain('hush-hush');
  });

  it('names the variables that are missing', async () => {
    const { code, find } = await examine({ DATABASE_URL: '', REDIS_URL: '' });
    expect(code).toBe(1);
    expect(find('Postgres')?.say).toBe('DATABASE_URL is not set');
    expect(find('Redis')?.say).toBe('REDIS_URL is not set');
  });

  it('names the migrations that have not run', async () => {
    const empty = new URL(inject('databaseUrl'));
    const { find, code } = await examine({ DATABASE_URL: empty.href });
    expect(find('migrations')).toMatchObject({ state: 'fail', remedy: 'Run `npm run signalbox -- migrate`.' });
    expect(find('migrations')?.say).toContain('102_people');
    expect(code).toBe(1);
  });

  it('warns that every login may create tables, until a migration has revoked this right', async () => {
    const owner = openRawPool(database.url);
    await owner.query(`grant temporary on database ${new URL(database.url).pathname.slice(1)} to public`);
    await owner.end();
    const { find, code } = await examine(); // as a database is before its first migration
    expect(find('rights')).toMatchObject({ state: 'warn', remedy: expect.stringContaining('revoke temporary') });
    expect(code).toBe(0);
    await migrate(database.url);
    expect((await examine()).find('rights')).toBeUndefined();
  });

  it('reports a Redis that may evict keys as a failure', async () => {
    const redis = await startOwnRedis(['maxmemory-policy allkeys-lru', 'appendonly no']);
    const { find, code } = await examine({ REDIS_URL: redis.url });
    await redis.stop();
    expect(find('eviction')).toMatchObject({ state: 'fail', say: 'allkeys-lru' });
    expect(find('append-only file')).toMatchObject({ state: 'warn' });
    expect(code).toBe(1);
  });

  it('asks each service of run.json for its health, and quotes its problem', async () => {
    const runFile = join(folder, 'broken.json');
    const services = [
      { name: 'worker', probeUrl: `${root}/broken` },
      { name: 'jobs', probeUrl: `http://${nobody}/readyz` },
    ];
    writeFileSync(runFile, JSON.stringify({ simulatorUrl: null, services }));
    const { find, code } = await examine({ SIGNALBOX_RUN_FILE: runFile });
    expect(find('worker')?.say).toBe('not ready: postgres: away; redis: away');
    expect(find('jobs')?.say).toContain('ECONNREFUSED');
    expect(code).toBe(1);
  });

  it('reports a bot token that Telegram refuses, and never shows the token', async () => {
    const { find, code } = await examine({ TELEGRAM_BOT_TOKEN: '1:bad', TELEGRAM_API_ROOT: root });
    expect(find('Telegram')).toMatchObject({ state: 'fail', say: expect.stringContaining('Unauthorized') });
    expect(JSON.stringify(find('Telegram'))).not.toContain('1:bad');
    expect(code).toBe(1);
  });

  it('warns only when the clocks of Telegram and Postgres differ by more than a minute', async () => {
    const early = await examine({ TELEGRAM_BOT_TOKEN: '1:early', TELEGRAM_API_ROOT: root });
    expect(early.find('clock')).toMatchObject({
      state: 'warn',
      say: expect.stringMatching(/^the clock of Postgres is 5 min ahead of that of 127/),
    });
    const { find } = await examine({ TELEGRAM_BOT_TOKEN: '1:good', TELEGRAM_API_ROOT: root });
    expect(find('clock')).toBeUndefined();
  });

  it.skipIf(sandbox === null)('runs a command in the sandbox and reports the limits of the sandbox', async () => {
    const { find } = await examine({ ...sandbox?.settings, PATH: loadTestConfig().path });
    expect(find('sandbox')).toMatchObject({
      state: 'ok',
      say: expect.stringMatching(/bwrap works; memory is bounded by .*, system calls are filtered/),
    });
  });

  it('warns without failing where bubblewrap is missing or unusable, and names a remedy', async () => {
    const missing = await examine({ PATH: folder });
    expect(missing.find('sandbox')).toMatchObject({ state: 'warn', say: 'there is no bubblewrap on the PATH' });
    expect(missing.find('sandbox')?.remedy).toContain('apt-get install bubblewrap');
    const named = await examine({ BWRAP_PATH: join(folder, 'nowhere') });
    expect(named.find('sandbox')).toMatchObject({ state: 'warn', say: expect.stringContaining('ENOENT') });
    expect(named.find('sandbox')?.remedy).toContain('BWRAP_PATH');
    const file = join(folder, 'bwrap');
    writeFileSync(file, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n', {
      mode: 0o755,
    });
    const forbidden = await examine({ PATH: folder });
    expect(forbidden.find('sandbox')).toMatchObject({
      state: 'warn',
      say: expect.stringContaining('No permissions to create new namespace'),
      remedy: expect.stringContaining('security_opt'),
    });
    expect([missing, named, forbidden].map(({ code }) => code)).toEqual([0, 0, 0]);
  });

  it.skipIf(sandbox === null)('warns when deployed programs cannot run in a sandbox, and names a remedy', async () => {
    const { find } = await examine({ ...sandbox?.settings, PATH: loadTestConfig().path });
    expect(find('confinement')).toMatchObject({
      state: 'ok',
      say: expect.stringMatching(/^programs .* in a sandbox$/),
    });
    const missing = await examine({ PATH: join(folder, 'empty') });
    expect(missing.find('confinement')).toMatchObject({
      state: 'warn',
      say: 'programs cannot be confined: bubblewrap is not installed',
      remedy: expect.stringContaining('apt-get install bubblewrap'),
    });
    const off = await examine({ ...sandbox?.settings, PATH: loadTestConfig().path, PROCESS_CONFINEMENT: 'off' });
    expect(off.find('confinement')).toMatchObject({ state: 'warn', say: expect.stringContaining('it is off') });
  });

  it.each([
    [{ MODEL: 'openai' }, 'fail', 'openai needs OPENAI_API_KEY'],
    [{ OPENAI_API_KEY: 'wrong' }, 'fail', 'refuses the key (HTTP 401)'],
    [{ OPENAI_API_KEY: 'right' }, 'ok', 'gpt-4.1-mini at 127.0.0.1'],
    [{ MODEL: 'offline' }, 'ok', 'offline'],
  ])('reports on the model settings %j with the state %s', async (settings, state, say) => {
    const { find } = await examine({
      MODEL: '',
      OPENAI_BASE_URL: 'MODEL' in settings ? '' : `${root}/v1`,
      ...settings,
    });
    expect(find('model')).toMatchObject({ state, say: expect.stringContaining(say) });
  });
});
