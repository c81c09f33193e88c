import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import type { Person } from '../support/person.ts';
import { createPlayedModels, type PlayedCall } from '../support/played-model.ts';
import { openStack, type Stack } from '../support/stack.ts';

const sandbox = await locateTestSandbox('a script in a conversation');

const write = (path: string, content: string): PlayedCall => ({ tool: 'write_file', args: { path, content } });
const run = (command: string, project?: string): PlayedCall => ({
  tool: 'run_command',
  args: { command, ...(project === undefined ? {} : { project }) },
});

/** Ten lines with one mistake: the head of the column is summed as well. */
const SUM = `#!/bin/sh
# Sums the second column of a CSV file.
file="$1"
total=0
while IFS=, read -r name amount; do
  case "$amount" in *[!0-9]*) echo "no number: $amount" >&2; exit 1 ;; esac
  total=$((total + amount))
done < "$file"
echo "total: $total"
`;
const DIFF = `--- a/sum.sh
+++ b/sum.sh
@@ -4,3 +4,4 @@
 total=0
 while IFS=, read -r name amount; do
+  [ "$amount" = amount ] && continue
   case "$amount" in *[!0-9]*) echo "no number: $amount" >&2; exit 1 ;; esac
`;
const PARTS: Readonly<Record<string, readonly PlayedCall[]>> = {
  'sums a column': [
    write('data.csv', 'name,amount\nanna,10\nbert,20\ncarl,30\n'),
    write('sum.sh', SUM),
    run('sh sum.sh data.csv'),
  ],
  'mend it': [
    { tool: 'read_file', args: { path: 'sum.sh' } },
    { tool: 'apply_diff', args: { diff: DIFF } },
    run('sh sum.sh data.csv && mkdir -p out && sh sum.sh data.csv > out/total.txt && cat out/*.txt'),
  ],
  'clean up': [run('rm -rf out && ls')],
  'of the project': [run('echo approved > made.txt && cat made.txt', 'shop')],
  'open the workspace': [{ tool: 'request_capabilities', args: { capabilities: ['workspace'], reason: 'to look' } }],
  'what is there': [run('no-such-interpreter x.y')],
};

describe.skipIf(sandbox === null)('a script of one’s own', () => {
  let stack: Stack;
  let ada: Person;
  let cleo: Person;
  beforeAll(async () => {
    const models = createPlayedModels(['workspace'], PARTS);
    stack = await openStack({
      jobs: true,
      env: { ...sandbox?.settings },
      wiring: { models: () => Promise.resolve(models) },
    });
    ada = await stack.person(1001, 'developer');
    cleo = await stack.person(1003, 'operator');
    await cleo.ask('hello');
  }, 60_000);
  afterAll(() => stack.close());

  const listAsked = async (): Promise<unknown[]> =>
    (await stack.pool.query('select action_id, status from approvals where user_key = $1', ['1001'])).rows;

  it('is written, run, mended by a diff and run again without one approval and without one tap', async () => {
    expect((await ada.ask('write a script that sums a column')).join()).toMatch(/no number: amount/);
    expect((await ada.ask('mend it and run it again')).join()).toMatch(/total: 60\\ntotal: 60/);
    expect((await ada.ask('clean up after yourself')).join()).toMatch(/data\.csv\\nsum\.sh/);
    expect(await listAsked()).toEqual([]);
    expect((await ada.heard()).flatMap(({ buttons }) => buttons ?? [])).toEqual([]);
    const { rows } = await stack.pool.query<{ tool: string; status: string; rule: string }>(
      `select tool, status, proposal #>> '{decision,rule}' as rule from actions where tool <> 'read_file' order by started_at`,
    );
    expect(rows).toEqual([
      { tool: 'write_file', status: 'done', rule: 'sensitive-runs' },
      { tool: 'write_file', status: 'done', rule: 'sensitive-runs' },
      { tool: 'run_command', status: 'done', rule: 'own-sandbox-runs' },
      { tool: 'apply_diff', status: 'done', rule: expect.stringMatching(/-runs$/) as string },
      { tool: 'run_command', status: 'done', rule: 'own-sandbox-runs' },
      { tool: 'run_command', status: 'done', rule: 'own-sandbox-runs' },
    ]);
  });

  it('learns which interpreters are there when it names one that is not', async () => {
    const said = (await ada.ask('what is there?')).join();
    expect(said).toMatch(/"exitCode":127/);
    expect(said).toMatch(/"programs":\[[^\]]*"bash"/);
  });

  it('waits for an operator in the workspace of a project, and runs there once it was approved', async () => {
    await stack.pool.query(
      `insert into projects (name, description, status, owner, action_id) values ('shop', '', 'active', '1001', 'shop')`,
    );
    expect((await ada.ask('change the files of the project shop')).join()).toMatch(/approv/i);
    expect(await listAsked()).toHaveLength(1);
    await cleo.waitFor(/made\.txt/);
    await cleo.click('Approve');
    expect(await ada.waitFor(/approved[^]*finished \(exit 0\)/)).toContain('Cleo');
  });

  it('is refused to a viewer, with the role that is needed', async () => {
    const vera = await stack.person(1009, 'viewer');
    const said = (await vera.ask('open the workspace')).join();
    expect(said).toMatch(/developer/);
    const { rows } = await stack.pool.query(`select 1 from actions where user_key = '1009' and started_at is not null`);
    expect(rows).toEqual([]);
  });
});

describe('a script where there is no sandbox', () => {
  let stack: Stack;
  beforeAll(async () => {
    const models = createPlayedModels(['workspace'], PARTS);
    const env = { BWRAP_PATH: '/nowhere/bwrap' };
    stack = await openStack({ jobs: true, env, wiring: { models: () => Promise.resolve(models) } });
    await (await stack.person(1003, 'operator')).ask('hello');
  }, 60_000);
  afterAll(() => stack.close());

  it('waits for an operator, and the card says why', async () => {
    const ada = await stack.person(1001, 'developer');
    expect((await ada.ask('clean up after yourself')).join()).toMatch(/approv/i);
    const cleo = await stack.person(1003, 'operator');
    expect(await cleo.waitFor(/rm -rf out/)).toContain('There is no sandbox here (bubblewrap');
  });
});
