import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@signalbox/platform/log';
import { createChangeStore, hashDiff } from '@signalbox/store/engineering/changes';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { makeRepository } from '../support/deploy-repository.ts';
import { openForgeSimulator } from '../support/forges/forge-simulator.ts';
import type { Fault, ForgeSimulator } from '../support/forges/simulated-forge.ts';
import type { PublishErrand } from '../support/publish-program.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// A job process that publishes an approved change is killed (SIGKILL) between any two of its steps; another process repeats the job.

const PROGRAM = fileURLToPath(new URL('../support/publish-program.ts', import.meta.url));
const TOKEN = 'plum-4711-pear';
const BRANCH = 'signalbox/1-add-notes';
const DIFF =
  'diff --git a/NOTES.md b/NOTES.md\nnew file mode 100644\n--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n+Tea\n';
const { path } = loadTestConfig();

let database: TestDatabase;
let owner: Pool;
let host: ForgeSimulator;
let errand: PublishErrand;
beforeAll(async () => {
  database = await createDatabase();
  owner = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 2, as: 'owner' });
  const folder = makeTemporaryFolder('publish');
  const trustDir = join(folder, 'trust');
  for (const name of ['trust', 'served/ada']) mkdirSync(join(folder, name), { recursive: true });
  const base = makeRepository(join(folder, 'work')).release('v1', { 'README.md': 'A list.\n' });
  const bare = join(folder, 'served/ada/shop.git');
  execFileSync('git', ['clone', '--quiet', '--bare', join(folder, 'work'), bare], { env: { PATH: path } });
  host = await openForgeSimulator('github', { folder: join(folder, 'served'), trustDir, token: TOKEN });
  const hash = hashDiff(base, DIFF);
  const proposal = { title: 'Add notes', summary: 'Notes.', diff: DIFF, hash, files: [], checks: [], isTested: false, critique: null }; // prettier-ignore
  await owner.query(
    `insert into projects (name, description, repository, repository_login, owner, action_id)
       values ('shop', '', $1, '{"givenBy":"1","handle":"shop"}', '1', 'act_p')`,
    [`${host.web}/ada/shop.git`],
  );
  await owner.query(
    `insert into engineering_changes (action_id, project, source, user_key, run_id, state, base_commit, proposal)
       values ('act_1', 'shop', '{"kind":"task","text":"add notes"}', '1', 'act_1', 'proposed', $1, $2)`,
    [base, JSON.stringify(proposal)],
  );
  const forges = [{ kind: 'github' as const, web: host.web, api: host.api }];
  const change = { changeId: 1, project: 'shop', hash };
  errand = { database: database.url, path, folder, trustDir, forges, token: TOKEN, runId: 'act_1_pr', change };
}, 120_000);
afterAll(async () => {
  await host.close();
  await owner.end();
  await database.drop();
});

function startPublishing() {
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', PROGRAM, JSON.stringify(errand)], {
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', error: '' };
  child.stdout.on('data', (bytes) => (said.out += String(bytes)));
  child.stderr.on('data', (bytes) => (said.error += String(bytes)));
  const gone = once(child, 'exit') as Promise<[number | null, string | null]>; // what Node emits
  return { child, said, gone };
}

it('one branch and one pull request come of a publication whose process is killed three times', async () => {
  const store = createChangeStore(owner);
  const faults: readonly (Fault & { readonly pulls: number })[] = [
    { at: /^GET .*\/pulls$/, hangs: true, pulls: 0 }, // the branch is pushed
    { at: /^POST .*\/pulls$/, hangs: true, pulls: 0 }, // asked for, and not carried out
    { at: /^POST .*\/pulls$/, hangsAfter: true, pulls: 1 }, // carried out, and nobody heard of it
  ];
  for (const fault of faults) {
    host.faults.splice(0, host.faults.length, fault);
    const { child, said, gone } = startPublishing();
    await until(() => (fault.times ?? 1) <= 0 || child.exitCode !== null, 60_000);
    await until(() => host.pulls.length === fault.pulls, 10_000);
    child.kill('SIGKILL');
    expect([await gone, said.error]).toEqual([[null, 'SIGKILL'], '']);
    expect(host.git('branch', '--list', 'signalbox/*')).toContain(BRANCH);
    expect((await store.find(1))?.state).toBe('proposed');
  }
  const outcomes = [];
  for (let round = 0; round < 2; round += 1) {
    const { said, gone } = startPublishing();
    expect([await gone, said.error]).toEqual([[0, null], '']);
    outcomes.push(JSON.parse(said.out) as unknown);
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[0]).toMatchObject({ branch: BRANCH, number: 1, url: `${host.web}/ada/shop/pull/1` });
  expect(host.pulls).toMatchObject([{ branch: BRANCH, into: 'main', title: 'Add notes' }]);
  expect(host.git('branch', '--list', 'signalbox/*').split('\n')).toHaveLength(1);
  expect(host.git('rev-list', '--count', `main..${BRANCH}`)).toBe('1');
  expect(host.problems).toEqual([]);
  expect((await store.find(1))?.state).toBe('opened');
}, 240_000);
