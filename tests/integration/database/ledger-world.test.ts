import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '@signalbox/platform/log';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { compareLedger } from '../../support/ledger-world.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// What every stack is compared with at its end: a comparison that cannot fail proves nothing.

let database: TestDatabase;
let pool: Pool;
let home: string;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 1, as: 'owner' });
  home = makeTemporaryFolder('workspaces');
  await mkdir(join(home, 'files/thread-thr_1/.git'), { recursive: true });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const file = (path: string, text: string): Promise<void> => writeFile(join(home, 'files/thread-thr_1', path), text);
const ledger = async (actionId: string, tool: string, status: string, args: object): Promise<void> =>
  void (await pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, settled_at)
     values ($1, 'turn_1', 'thr_1', '1001', $2, $3, 1, $4, clock_timestamp())`,
    [actionId, tool, JSON.stringify(args), status],
  ));
const differences = async (): Promise<readonly string[]> =>
  (await compareLedger(pool, home)).map(({ actionId, what }) => `${actionId}: ${what}`);

test('the ledger check finds no difference when each file has the content of its last completed write', async () => {
  await ledger('act_1', 'write_file', 'done', { path: 'a.md', content: 'old' });
  await ledger('act_2', 'write_file', 'done', { path: './a.md', content: 'new' });
  await ledger('act_3', 'write_file', 'failed', { path: 'b.md', content: 'b' });
  await file('a.md', 'new');
  await file('.git/HEAD', 'ref');
  expect(await differences()).toEqual([]);
});

test('the ledger check reports a missing file, a file with other content, and the file of a failed write', async () => {
  await ledger('act_1', 'write_file', 'done', { path: 'missing.md', content: '1' });
  await ledger('act_2', 'write_file', 'done', { path: 'other.md', content: '2' });
  await ledger('act_3', 'write_file', 'failed', { path: 'failed.md', content: '3' });
  await ledger('act_4', 'write_file', 'unknown', { path: 'unknown.md', content: '4' });
  for (const name of ['other.md', 'failed.md', 'unknown.md', 'stranger.md']) await file(name, 'x');
  expect(await differences()).toEqual([
    'act_1: there is no file',
    'act_2: the file holds something else',
    'act_3: the file exists',
    'act_4: the file exists',
    'none: the file thread-thr_1/stranger.md exists',
  ]);
});

test('the ledger check compares no files in a workspace where a command ran later', async () => {
  await ledger('act_1', 'write_file', 'done', { path: 'a.md', content: 'a' });
  await ledger('act_2', 'run_command', 'done', { command: 'rm a.md' });
  expect(await differences()).toEqual([]);
});

test('the ledger check reports a deployment that a failed rollback left behind', async () => {
  await ensureLocalServer(pool, { cpus: 2, memoryMb: 1_000 });
  await pool.query(`insert into projects (name, description, owner, action_id) values ('shop', '', '1001', 'act_0')`);
  await pool.query(`insert into services (project, environment, server) values ('shop', 'staging', 'local')`);
  await pool.query(
    `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, user_key)
     values ('act_1', 'shop', 'staging', 'local', 'process', 'rollback', '1.0', '1001')`,
  );
  await ledger('act_1', 'rollback_deploy', 'failed', { project: 'shop', environment: 'staging' });
  expect(await differences()).toEqual(['act_1: the deployment exists']);
});
