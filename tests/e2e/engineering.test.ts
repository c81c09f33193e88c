import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeRepository, type TestRepository } from '../support/deploy-repository.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { startEngineeringModel } from '../support/engineering-model.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { eventually } from '../support/until.ts';

// A person asks for a change of code: it is planned, edited, tested and criticized, and published once somebody has approved the diff.

const ADD = 'export function add(a, b) {\n  return a - b;\n}\n';
/** Three sentences, as critics are asked for; the last one tells of a side effect. */
const SAYS = `It does what was asked. ${'The sum is right for numbers of either sign, and nothing else reads the file. '.repeat(4)}A string is joined now.`;
const TEST = `import assert from 'node:assert';
import test from 'node:test';
import { add } from './add.js';
test('adds', () => assert.equal(add(2, 3), 5));
`;
const DIFF = `--- a/add.js
+++ b/add.js
@@ -1,3 +1,3 @@
 export function add(a, b) {
-  return a - b;
+  return a + b;
 }
`;

let demo: DemoStack;
let model: Awaited<ReturnType<typeof startEngineeringModel>>;
let repository: TestRepository;
beforeAll(async () => {
  model = await startEngineeringModel(
    {
      planner: (messages, turn) => {
        if (
          messages.some(({ content }) => content.includes('which way') && !content.includes('"answer"')) &&
          turn === 0
        )
          return { name: 'ask_person', args: { question: 'Up or down?' } };
        return turn < 2
          ? { name: 'read_file', args: { path: 'add.js' } }
          : { name: 'submit_plan', args: { plan: 'Add instead of subtracting in add.js.' } };
      },
      executor: (_messages, turn) => {
        if (turn === 0) return { name: 'apply_diff', args: { diff: DIFF } };
        return { name: 'finish', args: { title: 'Add the `a` and `b_c` numbers', summary: 'It subtracted them.' } };
      },
      critic: () => ({
        name: 'submit_critique',
        args: { verdict: 'good', risk: 'low', says: SAYS },
      }),
    },
    (said) => {
      const task = /^please change todo: (.*)$/.exec(said)?.[1];
      if (task) return { name: 'trigger_engineering', args: { project: 'todo', task } };
      // A model that takes whatever is said for the answer.
      if (said === 'up, please' || said === 'deploy demo to staging')
        return { name: 'answer_engineering', args: { answer: said } };
      const published = /^Publish change (\d+) of the code$/.exec(said)?.[1];
      if (published) return { name: 'open_pull_request', args: { change: Number(published) } };
      if (said === 'how is it?') return { name: 'get_engineering_status', args: {} };
      if (said === 'show the pr') return { name: 'view_latest_pr', args: { project: 'todo' } };
      return null;
    },
  );
  demo = await openDemoStack({ MODEL: 'openai', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.url });
  repository = makeRepository(join(demo.targets, '..', 'todo'));
  repository.release('1.0', {
    'add.js': ADD,
    'add.test.js': TEST,
    'package.json': '{"name":"todo","type":"module"}\n',
  });
  await demo.stack.pool.query(
    `insert into projects (name, description, repository, owner, action_id) values ('todo', 'a list', $1, '1002', 'act_todo')`,
    [repository.folder],
  );
}, 90_000);
afterAll(async () => {
  await demo.close();
  await model.close();
}, 60_000);

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: { PATH: loadTestConfig().path } }).trim();

describe('a change of code', { timeout: 180_000 }, () => {
  it('is tested and criticized before its diff is asked for, and published as a branch once it is approved', async () => {
    const { ben, cleo, dara } = demo.people;
    for (const person of [cleo, dara]) await person.ask('hello');
    await demo.tell(
      ben,
      'please change todo: add has to add',
      /change 1.* is ready|Change 1 of todo is ready/is,
      90_000,
    );
    const card = await cleo.waitFor(/change 1 of todo/);
    expect(card).toContain('Add the a and b_c numbers');
    expect(card).toContain('add.js');
    expect(card).toContain('The tests passed in the sandbox');
    expect(card).toContain(`good, low risk: ${SAYS}`);
    expect(card).toContain('node --test: ✓ – the tests ran and passed');
    expect(card).toContain('please change todo: add has to add');
    expect(card).not.toMatch(/→ |more lines|\\/);
    const told = await ben.waitFor(/That needs approval/);
    expect(told).toContain('I have asked Cleo and Dara for it');
    expect(told).toMatch(/🧾 Change the code of todo: add has to add · [^\n]+$/);
    expect(told).toContain('Its tests passed.');
    const { rows } = await demo.stack.pool.query<{ hash: string; diff: string }>(
      `select proposal ->> 'hash' as hash, proposal ->> 'diff' as diff from engineering_changes`,
    );
    expect(card).toContain(rows[0]?.hash);
    expect(rows[0]?.diff).toContain('+  return a + b;');

    await cleo.clickAndWait('Approve');
    const end = await ben.waitFor(/The patch is attached\./);
    expect(end).toContain('is published on the branch signalbox/1-add-the-a-and-b-c-numbers in the repository of this');
    const patches = async () => {
      const seen = await ben.heard();
      return seen.slice(seen.findIndex(({ text }) => text === end)).flatMap(({ file }) => file?.name ?? []);
    };
    await eventually(patches, (names) => names.includes('todo-change-1.patch'), 20_000);
    expect(await cleo.waitFor(/is published on the branch/)).not.toContain('attached');
    const { rows: done } = await demo.stack.pool.query<{ repository: string; branch: string; commit: string }>(
      `select outcome ->> 'repository' as repository, outcome ->> 'branch' as branch, outcome ->> 'commit' as commit from engineering_changes`,
    );
    const [{ repository: kept, branch, commit } = { repository: '', branch: '', commit: '' }] = done;
    expect(branch).toBe('signalbox/1-add-the-a-and-b-c-numbers');
    expect(git(kept, 'rev-parse', branch)).toBe(commit);
    expect(git(kept, 'show', `${branch}:add.js`)).toBe('export function add(a, b) {\n  return a + b;\n}');
    expect(git(kept, 'log', '-1', '--format=%an %s', branch)).toBe('Signalbox Add the `a` and `b_c` numbers');
    expect(git(kept, 'log', '-1', '--format=%B', branch)).toContain(`Signalbox-Diff: ${rows[0]?.hash}`);
    expect(git(repository.folder, 'branch', '--list', 'signalbox/*')).toBe('');
  });

  it('asks the person once, goes on with their answer, and tells what every node did', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await demo.tell(ben, 'please change todo: say which way it adds', /has a question: Up or down\?/, 90_000);
    // An order of its own is no answer: its person is asked first.
    expect(await demo.tell(ben, 'deploy demo to staging', /Waiting for the person who asked/)).toContain(
      'Nobody asked for this here',
    );
    await ben.clickAndWait('Cancel');
    await demo.tell(ben, 'up, please', /Change 2 of todo is ready/, 90_000);
    const { rows: answers } = await demo.stack.pool.query<{ status: string; answer: string; asked: number }>(
      `select a.status, a.arguments ->> 'answer' as answer, (select count(*)::int from approvals p where p.action_id = a.action_id) as asked
         from actions a where a.tool = 'answer_engineering' and a.arguments ->> 'answer' = 'up, please'`,
    );
    expect(answers).toEqual([{ status: 'done', answer: 'up, please', asked: 0 }]);
    const told = await demo.tell(ben, 'how is it?', /It says: /);
    expect(told).toContain('proposed');
    const { rows } = await demo.stack.pool.query<{ step: string }>(
      `select node || ' ' || kind as step from engineering_steps where change_id = 2 order by n`,
    );
    expect(rows.map(({ step }) => step).slice(0, 3)).toEqual(['planner answer', 'person answer', 'planner answer']);
    // The answer reaches whoever works by it; what the planner wrote otherwise does not reach the critic.
    const read = (name: string): string => model.asked.findLast(({ node }) => node === name)?.text ?? '';
    expect(read('executor')).toContain('"answer":"up, please"');
    expect(read('critic')).toContain('"answer":"up, please"');
    expect(read('critic')).toContain('It subtracted them.');
    expect(read('critic')).not.toContain('Add instead of subtracting in add.js.');
    // The nodes' tokens count in the budget of whoever asked, together with those of their turns.
    const { rows: used } = await demo.stack.pool.query<{ all: number; nodes: number; turns: number }>(
      `select f.tokens::int as all, (select sum(input_tokens + output_tokens)::int from engineering_steps) as nodes,
              (select sum((t.usage ->> 'inputTokens')::int + (t.usage ->> 'outputTokens')::int)::int from turns t where t.user_key = c.user_key) as turns
         from engineering_changes c, governance_facts(c.user_key, '', '{}', null) f limit 1`,
    );
    expect(used[0]?.nodes).toBeGreaterThan(0);
    expect(used[0]?.all).toBe((used[0]?.nodes ?? 0) + (used[0]?.turns ?? 0));
    const shown = await openTerminal({ DATABASE_URL: demo.stack.databaseUrl })('engineering', 'show', '2');
    expect(shown.out).toMatch(/^2 {2}proposed\n {2}project todo, person 1002, .* tokens\n {2}diff [0-9a-f]{64}/);
    expect(shown.out).toMatch(/\n1 +planner +answer +[1-9]\d* +\d+\.\d +[0-9a-f]{12} +\S+\n2 +person +answer +0 /);
    expect(await demo.tell(ben, 'show the pr', /It says: /)).toContain('kept');
  });

  it('that somebody else asks to publish cannot be approved by the person who asked for it', async () => {
    const { cleo } = demo.people;
    await demo.tell(cleo, 'Publish change 2 of the code', /needs approval|asked .* for it|cannot be reached/i, 90_000);
    const { rows } = await demo.stack.pool.query<{ authors: readonly string[] }>(
      `select authors from approvals where user_key = $1`,
      [String(cleo.id)],
    );
    expect(rows.map(({ authors }) => authors.toSorted())).toEqual([['1002', String(cleo.id)]]);
  });

  it('that was approved after the main branch moved is asked for again by a button', async () => {
    const { ben, cleo } = demo.people;
    await ben.ask('/new');
    await demo.tell(ben, 'please change todo: add has to add', /Change 3 of todo is ready/, 90_000);
    repository.release('1.1', { 'README.md': 'A list.\n' });
    await cleo.waitFor(/change 3 of todo/);
    await cleo.clickAndWait('Approve');
    await eventually(
      async () =>
        (await ben.heard())
          .at(-1)
          ?.buttons?.flat()
          .map(({ text }) => text),
      (buttons) => buttons?.includes('Publish change 3 of the code') === true,
      30_000,
    );
    await ben.clickAndWait('Publish change 3 of the code');
    const card = await cleo.waitFor(/the main branch has moved on to/);
    expect(card).toContain('change 3 of todo');
    await cleo.clickAndWait('Approve');
    await ben.waitFor(/Change 3 of todo is published on the branch/);
  });

  it('ends with /stop while its tests run, and publishes nothing', async () => {
    const { ben } = demo.people;
    repository.release('2.0', {
      'add.js': ADD,
      'package.json': '{"name":"todo","type":"module","scripts":{"test":"sleep 100"}}\n',
    });
    await ben.ask('/new');
    await demo.tell(ben, 'please change todo: add has to add', /building and testing/, 90_000);
    await demo.tell(ben, '/stop', /change of code was stopped|changes of code were stopped/);
    const { rows } = await eventually(
      () =>
        demo.stack.pool.query(
          `select r.status, c.state from engineering_changes c join runs r using (run_id) where change_id = 4`,
        ),
      ({ rows: [found] }) => found?.status === 'cancelled',
      30_000,
    );
    expect(rows).toEqual([{ status: 'cancelled', state: 'stopped' }]);
  });
});
