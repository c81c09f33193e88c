import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discardPostgres, startPostgres } from '@signalbox/local/postgres/postgres';
import { identifyProcess, sendSignal, waitForExit } from '@signalbox/local/supervisor/process-identity';
import { SetupError } from '@signalbox/local/setup-error';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const settings = { fsync: 'off' };
let dir = '';

beforeEach(() => {
  dir = makeTemporaryFolder('postgres');
});
afterEach(() => discardPostgres(dir));

test('the first start creates the databases, and a service login can connect at once', async () => {
  const server = await startPostgres({ dir, settings });
  expect(server.adopted).toBe(false);
  expect(await ask(server.url, 'select current_database() as value')).toBe('signalbox');
  expect(await ask(server.url, 'show server_version')).toMatch(/^18\./);
  expect(await ask(server.url, "select lower('ÄÖ') as value")).toBe('äö');
});

test('Postgres accepts connections from this machine only, and only with the password', async () => {
  const server = await startPostgres({ dir, settings });
  expect(await ask(server.url, 'show listen_addresses')).toBe('127.0.0.1');
  expect(await ask(server.url, 'show unix_socket_directories')).toBe('');
  await expect(ask(server.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
  expect(statSync(join(dir, 'server.json')).mode & 0o777).toBe(0o600);
});

test('a second start uses the Postgres server that already runs', async () => {
  const first = await startPostgres({ dir, settings });
  const second = await startPostgres({ dir, settings });
  expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url });
});

test('rows and the address of Postgres survive a stop and a start', async () => {
  const first = await startPostgres({ dir, settings });
  await ask(first.url, 'create table kept as select 42 as value');
  await first.stop();
  await first.stop();
  expect(identifyProcess(first.pid)).toBeNull();
  const second = await startPostgres({ dir, settings });
  expect(second).toMatchObject({ adopted: false, url: first.url });
  expect(await ask(second.url, 'select value from kept')).toBe(42);
});

test('Postgres recovers at the next start after it was killed and left a pid file', async () => {
  const first = await startPostgres({ dir });
  await ask(first.url, 'create table kept as select 7 as value');
  const identity = identifyProcess(first.pid);
  if (identity === null) throw new Error('the server should run');
  sendSignal(identity, 'SIGKILL', 'process');
  await waitForExit(identity, 5_000);
  expect(existsSync(pidFileOf(dir))).toBe(true);
  const second = await startPostgres({ dir });
  expect(second.adopted).toBe(false);
  expect(await ask(second.url, 'select value from kept')).toBe(7);
});

test('a Postgres pid file that names another program is ignored', async () => {
  const first = await startPostgres({ dir, settings });
  const lines = readFileSync(pidFileOf(dir), 'utf8').split('\n');
  await first.stop();
  writeFileSync(pidFileOf(dir), [String(process.pid), ...lines.slice(1)].join('\n'));
  const second = await startPostgres({ dir, settings });
  expect(second.adopted).toBe(false);
  expect(second.pid).not.toBe(process.pid);
});

test('a start is refused with a remedy when the running Postgres rejects the stored password', async () => {
  const first = await startPostgres({ dir, settings });
  const file = join(dir, 'server.json');
  const record = readFileSync(file, 'utf8');
  writeFileSync(file, record.replace(/"password":"[^"]+"/, `"password":"${'0'.repeat(48)}"`));
  const second = startPostgres({ dir, settings });
  await expect(second).rejects.toThrow(SetupError);
  await expect(second).rejects.toThrow(`kill -INT ${first.pid}`);
  writeFileSync(file, record);
});

test('a Postgres server that cannot start is reported with reason and remedy', async () => {
  const start = startPostgres({ dir, settings: { ...settings, shared_buffers: 'lots' } });
  await expect(start).rejects.toThrow(
    /Postgres did not start[^]*invalid value for parameter "shared_buffers"[^]*DATABASE_URL/,
  );
});

test('the creation of a Postgres data folder that was interrupted is restarted', async () => {
  await startPostgres({ dir, settings }).then((first) => first.stop());
  renameSync(dataOf(dir), `${dataOf(dir)}.new`);
  rmSync(join(`${dataOf(dir)}.new`, 'global'), { recursive: true });
  const server = await startPostgres({ dir, settings });
  expect(await ask(server.url, 'select 1')).toBe(1);
});

test('a data folder of Postgres that lost its version file is not overwritten', async () => {
  const first = await startPostgres({ dir, settings });
  await first.stop();
  rmSync(join(dataOf(dir), 'PG_VERSION'));
  await expect(startPostgres({ dir, settings })).rejects.toThrow(/PG_VERSION is missing[^]*rm -r/);
  expect(existsSync(join(dataOf(dir), 'base'))).toBe(true);
});

function dataOf(folder: string): string {
  // Written by startPostgres: the record names the folder of the databases.
  return (JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as { readonly data: string }).data;
}

function pidFileOf(folder: string): string {
  return join(dataOf(folder), 'postmaster.pid');
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(text);
    return Object.values(result.rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}
