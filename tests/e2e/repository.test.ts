import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRepository, type TestRepository } from '../support/deploy-repository.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';

// A person has the code of a project looked into, and decides about what is found.

const CONFLICT = 'export const a = 1;\n<<<<<<< HEAD\nexport const b = 2;\n=======\nexport const b = 3;\n>>>>>>> side\n';
const PLAIN = 'export const a = 1;\nexport const b = 2;\n';

let demo: DemoStack;
let repository: TestRepository;
beforeAll(async () => {
  demo = await openDemoStack();
  repository = makeRepository(join(demo.targets, '..', 'todo'));
  repository.release('1.0', { 'src/main.ts': CONFLICT });
  await demo.people.ben.ask(`create a project called todo with repository ${repository.folder}`);
}, 60_000);
afterAll(() => demo.close(), 60_000);

const number = async (): Promise<string> => {
  const { rows } = await demo.stack.pool.query<{ id: string }>(
    `select finding_id::text as id from repository_findings where rule = 'code/merge-conflict'`,
  );
  return rows[0]?.id ?? '';
};
const status = async (): Promise<unknown> =>
  (
    await demo.stack.pool.query(
      `select status, times_reopened as n from repository_findings where rule = 'code/merge-conflict'`,
    )
  ).rows[0];

describe('the repository of a project', { timeout: 120_000 }, () => {
  it('is scanned, and its findings are explained, accepted, closed when fixed and reopened when they recur', async () => {
    const { ben } = demo.people;
    const first = await demo.tell(ben, 'analyze the tech debt of todo', /the first run/, 15_000);
    expect(first).toContain('src/main.ts:2');
    expect(
      (await ben.heard())
        .at(-1)
        ?.buttons?.flat()
        .map(({ text }) => text),
    ).toContain(`Explain finding ${await number()}`);

    // Nothing of it runs, so what is wrong with it is what scans found.
    await ben.ask('/new');
    await demo.tell(ben, 'what is wrong with todo?', /Open findings of todo[^]*src\/main\.ts:2/);

    const why = await demo.tell(ben, `explain finding ${await number()} of todo`, /Where: /);
    expect(why).toContain('<<<<<<<');

    await ben.ask('/new');
    await demo.tell(ben, `accept finding ${await number()} of todo`, /Why is it acceptable\?/);
    await demo.tell(ben, 'a value for our tests', /is accepted: a value for our tests/);
    expect(await status()).toEqual({ status: 'accepted', n: 0 });
    await demo.tell(ben, `reopen finding ${await number()} of todo`, /is open again/);

    repository.release('1.1', { 'src/main.ts': PLAIN });
    await ben.ask('/new');
    await demo.tell(ben, 'analyze the tech debt of todo', /1 fixed since the last run/);
    expect(await status()).toEqual({ status: 'fixed', n: 0 });
    repository.release('1.2', { 'src/main.ts': CONFLICT });
    await ben.ask('/new');
    await demo.tell(ben, 'analyze the tech debt of todo', /1 reopened since the last run/);
    expect(await status()).toEqual({ status: 'open', n: 1 });
  });

  it('is described by measured values, and its outline is sent as a file', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    const overview = await demo.tell(ben, 'give me an overview of the repository of todo', /first run/, 15_000);
    expect(overview).toMatch(/1 file, 3 commits by one person since 20\d\d-/);
    expect(overview).toMatch(/Languages: TypeScript 100 %/);
    expect(overview).toMatch(/Health: \d+ of 100, with one severe finding; weakest: /);
    await ben.ask('/new');
    await demo.tell(ben, 'audit the documentation of todo', /first run/, 15_000);
    const { rows } = await demo.stack.pool.query<{ text: string }>(
      `select convert_from(bytes, 'utf8') as text from artifacts where name = 'todo-outline.md'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).toMatch(/^# todo\n\n## Languages\n/);
  });

  it('is reported in files that are sent to the person', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await demo.tell(ben, 'give me the report of todo', /Here is the report of todo/);
    const { rows } = await demo.stack.pool.query<{ name: string; text: string }>(
      `select name, convert_from(bytes, 'utf8') as text from artifacts where name like 'todo-findings-%' order by name`,
    );
    expect(rows.map(({ name }) => name.replace(/\d{4}-\d\d-\d\d/, 'day'))).toEqual([
      'todo-findings-day.md',
      'todo-findings-day.sarif',
    ]);
    expect(rows[0]?.text).toContain('src/main.ts:2');
    const { version, runs } = JSON.parse(rows[1]?.text ?? '') as {
      version: string;
      runs: { results: { ruleId: string }[] }[];
    };
    expect(version).toBe('2.1.0');
    expect(runs[0]?.results.map(({ ruleId }) => ruleId)).toContain('code/merge-conflict');
  });

  it('is restored to a snapshot only when a second person approves', async () => {
    const { ben, cleo, dara } = demo.people;
    await ben.ask('/new');
    await demo.tell(ben, 'make a snapshot of the findings of todo', /Snapshot \d+ of todo is saved/);
    const { rows } = await demo.stack.pool.query<{ id: string }>(
      `select max(snapshot_id)::text as id from repository_snapshots`,
    );
    await ben.ask('/new');
    await demo.tell(ben, `accept finding ${await number()} of todo`, /Why is it acceptable\?/);
    await demo.tell(ben, 'it is fine', /is accepted/);
    await dara.ask('hello');
    const asked = (await cleo.ask(`restore snapshot ${rows[0]?.id} of todo`)).join('\n');
    expect(asked).toContain(`Restore snapshot ${rows[0]?.id} of todo`);
    expect(await status()).toMatchObject({ status: 'accepted' });
    await dara.waitFor(/Restore snapshot/);
    await dara.clickAndWait('Approve');
    await demo.tell(cleo, 'list the snapshots of todo', /before/);
    expect(await status()).toMatchObject({ status: 'open' });
  });

  it('is tagged once, is found by the tag, and is no longer found after the tag is removed', async () => {
    const { ben } = demo.people;
    const tags = async (): Promise<unknown> =>
      (await demo.stack.pool.query('select project, tag, user_key from project_tags')).rows;
    await ben.ask('/new');
    await demo.tell(ben, 'tag todo as #Payments', /todo is tagged payments\./);
    await demo.tell(ben, 'tag todo as payments', /todo is tagged payments\./);
    expect(await tags()).toEqual([{ project: 'todo', tag: 'payments', user_key: '1002' }]);
    const listed = await demo.tell(ben, 'show the repositories tagged payments', /One project tagged payments/);
    expect(listed).toMatch(/todo \(payments\): (?:\d+ critical, )?1 high.*scanned on 20\d\d-/);
    expect(await demo.tell(ben, 'which repositories have the most findings', /the most severe findings first/)).toMatch(
      /first:\s+\S* ?todo \(payments\)/,
    );
    await demo.tell(ben, 'remove the tag payments from todo', /todo is no longer tagged payments\./);
    await demo.tell(ben, 'show the repositories tagged payments', /No project is tagged payments/);
    expect(await tags()).toEqual([]);
    const { rows } = await demo.stack.pool.query<{ kind: string }>(
      `select kind from audit_events where kind like 'project.%tagged' and actor = '1002' order by event_id`,
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['project.tagged', 'project.tagged', 'project.untagged']);
  });

  it('is listed with the projects that depend on it once both were audited', async () => {
    const { ben } = demo.people;
    repository.release('1.3', { 'package.json': JSON.stringify({ name: 'todo-list' }) });
    const other = makeRepository(join(demo.targets, '..', 'notes'));
    other.release('1.0', {
      'package.json': JSON.stringify({ name: 'notes', dependencies: { 'todo-list': '^1.0.0' } }),
    });
    await ben.ask('/new');
    await ben.ask(`create a project called notes with repository ${other.folder}`);
    await demo.tell(ben, 'what depends on todo', /audit the dependencies of todo/);
    for (const project of ['todo', 'notes']) {
      await ben.ask('/new');
      await demo.tell(ben, `audit the dependencies of ${project}`, /first run/, 30_000);
    }
    await ben.ask('/new');
    const related = await demo.tell(ben, 'what depends on todo', /Projects that depend on/);
    expect(related).toMatch(/notes.*npm todo-list/);
    expect(await demo.tell(ben, 'what does notes depend on', /notes depends on:/)).toMatch(/todo.*npm todo-list/);
  });

  it('is shown by the analyst agent, which cannot deploy', async () => {
    const { ben } = demo.people;
    await ben.ask('/agent repo_analyst');
    await demo.tell(ben, 'show the findings of todo', /findings of \**todo/);
    await ben.ask('deploy todo 1.0 to staging');
    expect((await demo.stack.pool.query('select 1 from deployments')).rows).toEqual([]);
    await ben.ask('/agent product_owner');
  });
});
