import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeRepository, type TestRepository } from '../support/deploy-repository.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';

// Without a model: a scan finds something, a rule fixes it, an operator approves the diff, and it becomes a branch.

const TEST = `import assert from 'node:assert';
import { describe, it } from 'node:test';
describe.only('the sum', () => it('adds', () => assert.equal(2 + 3, 5)));
describe('the rest', () => it('runs too', () => assert.ok(true)));
`;
const WORKFLOW = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ada/brew@v2\n';

let demo: DemoStack;
let repository: TestRepository;
beforeAll(async () => {
  demo = await openDemoStack();
  repository = makeRepository(join(demo.targets, '..', 'todo'));
  repository.release('1.0', {
    'sum.test.js': TEST,
    'package.json': '{"name":"todo","type":"module","scripts":{"test":"node --test"}}\n',
    '.github/workflows/ci.yml': WORKFLOW,
  });
  await demo.people.ben.ask(`create a project called todo with repository ${repository.folder}`);
}, 60_000);
afterAll(() => demo.close(), 60_000);

const findNumber = async (rule: string): Promise<string> => {
  const { rows } = await demo.stack.pool.query<{ id: string }>(
    `select finding_id::text as id from repository_findings where rule = $1`,
    [rule],
  );
  return rows[0]?.id ?? '';
};
const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: { PATH: loadTestConfig().path } }).trim();

describe('a finding of a scan', { timeout: 120_000 }, () => {
  it('is fixed without a model: its diff is tested, approved and kept as a branch', async () => {
    const { ben, cleo, dara } = demo.people;
    for (const person of [cleo, dara]) await person.ask('hello');
    await demo.tell(ben, 'analyze the tech debt of todo', /the first run/);
    await ben.ask('/new');
    await demo.tell(ben, `fix finding ${await findNumber('code/focused-test')} of todo`, /Change 1 of todo is ready/);
    const card = await cleo.waitFor(/change 1 of todo/);
    expect(card).toContain('Run all tests of sum.test.js again');
    expect(card).toContain('npm test: ✓');
    expect(card).toContain('No critic has read it.');

    await cleo.clickAndWait('Approve');
    await ben.waitFor(/is published on the branch/);
    const { rows } = await demo.stack.pool.query<{ repository: string; branch: string }>(
      `select outcome ->> 'repository' as repository, outcome ->> 'branch' as branch from engineering_changes`,
    );
    const [{ repository: kept, branch } = { repository: '', branch: '' }] = rows;
    expect(git(kept, 'show', `${branch}:sum.test.js`)).toBe(TEST.replace('.only', '').trim());
    expect(git(kept, 'diff', '--name-only', `${branch}^`, branch)).toBe('sum.test.js');
    expect(git(repository.folder, 'branch', '--list', 'signalbox/*')).toBe('');
  });

  it('that lies in a protected file is not fixed, and the person reads who can open it', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await demo.tell(ben, 'scan todo for secrets', /the first run/);
    await ben.ask('/new');
    const told = await demo.tell(
      ben,
      `fix finding ${await findNumber('risk/action-unpinned')} of todo`,
      /Change 2 of todo came to no diff/,
    );
    expect(told).toContain('An operator can open it with ENGINEERING_OPEN_PATHS');
  });
});
