import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { locateRedis } from '@signalbox/local/redis/redis';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { REDIS_SERVICES } from '@signalbox/platform/redis-users';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadTestConfig } from '../../support/config.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/until.ts';
import { openTerminal } from './terminal.ts';

// The Redis of docker compose, started by the command of the file, without a container around it.
const Compose = z.object({ services: z.object({ redis: z.object({ command: z.array(z.string()) }) }) });
const { services } = Compose.parse(parse(readFileSync(join(getCheckoutPath(), 'docker-compose.yml'), 'utf8')));
const passwords = Object.fromEntries(REDIS_SERVICES.map((service) => [service, randomBytes(24).toString('hex')]));
const variables = Object.fromEntries(
  Object.entries(passwords).map(([service, password]) => [`REDIS_PASSWORD_${service.toUpperCase()}`, password]),
);
let database: TestDatabase;
let folder: string;
let port: number;
let server: ChildProcess | null = null;

beforeAll(async () => {
  const { dataDir, path } = loadTestConfig();
  database = await createDatabase();
  folder = makeTemporaryFolder('compose-redis');
  port = await freePort();
  const program = await locateRedis(join(dataDir, 'redis-bin'), path, () => undefined);
  const env = Object.entries(program.env).map(([name, value]) => `${name}='${value ?? ''}'`);
  const stub = join(folder, 'docker-entrypoint.sh');
  writeFileSync(
    stub,
    `#!/bin/sh\nshift\nexec env ${env.join(' ')} '${program.file}' --port ${port} --bind 127.0.0.1 "$@"\n`,
  );
  chmodSync(stub, 0o755);
});
afterAll(async () => {
  await stop();
  await database.drop();
});

async function start(administrator: string): Promise<void> {
  const [program = '', ...words] = services.redis.command.map((word) =>
    word.replaceAll('$$', '$').replaceAll('/data/', `${folder}/`),
  );
  server = spawn(program, words, {
    cwd: folder,
    env: { PATH: `${folder}:${loadTestConfig().path}`, REDISCLI_AUTH: administrator },
    stdio: 'ignore',
  });
  await eventually(
    () => answer('default', administrator, 'ping'),
    (said) => said === 'PONG',
  );
}

async function stop(): Promise<void> {
  if (server === null) return;
  const gone = once(server, 'exit');
  server.kill();
  await gone;
  server = null;
}

/** What Redis says to a command of this user: its answer, or the first word of its refusal. */
async function answer(user: string, password: string, ...command: readonly [string, ...string[]]): Promise<unknown> {
  const redis = openRedis(`redis://${user}:${password}@127.0.0.1:${port}/0`, createLog('test', 'silent'), 2_000);
  try {
    const [name, ...rest] = command;
    return await redis.call(name, ...rest);
  } catch (error) {
    return error instanceof Error ? error.message.split(' ')[0] : error;
  } finally {
    await closeRedis(redis);
  }
}

it('the Redis user of each service is limited to the keys of its service, and survives a restart of Redis', async () => {
  await start('administrator-one');
  expect(await answer('default', 'nopassword', 'ping')).toBe('WRONGPASS');
  const migrate = (administrator: string) =>
    openTerminal({
      DATABASE_URL: database.url,
      REDIS_URL: `redis://default:${administrator}@127.0.0.1:${port}/0`,
      ...variables,
    })('migrate');
  expect(await migrate('administrator-one')).toMatchObject({ code: 0 });
  const look = async (): Promise<unknown> => ({
    own: await answer('worker', passwords['worker'] ?? '', 'get', 'thread:sequence:x'),
    others: await answer('agents', passwords['agents'] ?? '', 'get', '{jobs}:deploy:wait'),
    all: await answer('gateway', passwords['gateway'] ?? '', 'keys', '*'),
    admin: await answer('deploy', passwords['deploy'] ?? '', 'acl', 'list'),
    password: await answer('maintenance', passwords['agents'] ?? '', 'ping'),
  });
  const bound = { own: null, others: 'NOPERM', all: 'NOPERM', admin: 'NOPERM', password: 'WRONGPASS' };
  expect(await look()).toEqual(bound);
  await stop();
  await start('administrator-two');
  expect(await look()).toEqual(bound);
  expect(await answer('default', 'administrator-one', 'ping')).toBe('WRONGPASS');
  expect(await migrate('administrator-two')).toMatchObject({ code: 0 });
  expect(await look()).toEqual(bound);
  expect(readFileSync(join(folder, 'users.acl'), 'utf8')).not.toContain(passwords['worker']);
});
