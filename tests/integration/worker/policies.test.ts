import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { openWorkerPolicies } from '@signalbox/governance/policies';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/until.ts';

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'owner' });
  await pool.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`);
  await pool.query(
    `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
     values ('telegram', '100', '1', '1001', 'telegram:1001', 'message', '{"chatKind": "private"}', 't')`,
  );
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

it('a broken policy is reported to the admins once, and the previous policy applies until it is repaired', async () => {
  const folder = makeTemporaryFolder('policy');
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  const notifyd: string[] = [];
  const open = () =>
    openWorkerPolicies({
      config: { POLICY_DIR: folder, POLICY_TIME_ZONE: 'UTC' },
      folders: [],
      pool,
      log: createLog('test', 'silent'),
      notify: async (chatKey) => void notifyd.push(chatKey),
    });
  // Two workers look at the same folder.
  const [policies, other] = [await open(), await open()];
  const before = policies.current().version;
  const file = join(folder, 'budgets.cedar');
  const good = readFileSync(file, 'utf8');
  writeFileSync(file, good.replace('forbid', 'permit'));
  const told = async () =>
    (await pool.query(`select body ->> 'text' as text from outbox where key like 'policy:%'`)).rows;
  await eventually(told, (rows) => rows.length === 1, 30_000);
  expect((await told())[0]).toMatchObject({ text: expect.stringMatching(/stay in force/) });
  expect(policies.current().version).toBe(before);

  writeFileSync(file, `${good}\n// Mended.\n`);
  await eventually(
    () => Promise.resolve([policies, other].map((one) => one.current().version)),
    (versions) => versions.every((version) => version !== before),
    30_000,
  );
  const kinds = async () =>
    (await pool.query<{ kind: string }>(`select kind from audit_events order by event_id`)).rows.map(
      ({ kind }) => kind,
    );
  await eventually(kinds, (list) => list.length === 3, 30_000);
  expect(await kinds()).toEqual(['policy.loaded', 'policy.refused', 'policy.loaded']);
  expect((await pool.query('select 1 from policy_sets')).rowCount).toBe(2);
  expect(notifyd).toEqual(['telegram:1001']);
  await Promise.all([policies.close(), other.close()]);
});
