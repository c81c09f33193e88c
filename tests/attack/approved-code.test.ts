import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { appFiles, makeRepository, type TestRepository } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';

// Whoever may push to a repository, or change a project, swaps what two operators have in front of them.

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
  // People write to the bot once, so that it may write to them.
  for (const who of [demo.people.cleo, demo.people.dara]) await who.ask('hello');
}, 60_000);
afterAll(() => demo.close(), 60_000);

let project: string;
let repository: TestRepository;
let first: string;
let count = 0;
beforeEach(async () => {
  project = `shop${++count}`;
  repository = newRepository(project);
  first = repository.release('v1', appFiles({}));
  await addProject(project, repository);
});

const sql = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<readonly T[]> =>
  (await demo.stack.pool.query<T>(text, [...values])).rows;
const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], {
    encoding: 'utf8',
    env: { PATH: loadTestConfig().path, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();

function newRepository(name: string): TestRepository {
  return makeRepository(join(dirname(demo.targets), name));
}

async function addProject(name: string, at: TestRepository): Promise<void> {
  await sql(
    `insert into projects (name, description, repository, status, owner, action_id) values ($1, '', $2, 'active', '1002', $1)`,
    [name, at.folder],
  );
}

/** Ben asks for it, and both operators have the card. */
async function askFor(version: string): Promise<string> {
  await demo.tell(
    demo.people.ben,
    `deploy version ${version} of ${project} to production`,
    /needs approval|cannot|could not/,
  );
  const pattern = new RegExp(`Deploy ${project} ${version.replaceAll('.', '\\.')} to production`);
  await demo.people.dara.waitFor(pattern);
  await demo.people.cleo.waitFor(pattern);
  return openBound();
}

/** All that the newest card of Cleo is bound to: one press opens it. */
async function openBound(what = 'Deploy'): Promise<string> {
  await demo.people.cleo.click('Show the full request');
  return joined(await demo.people.cleo.waitFor(new RegExp(`${what} ${project} [^]*This is exactly what runs`)));
}

/** What a card has cut to the width of a phone. */
const joined = (card: string): string => card.replaceAll('\n┊ ', '');

/** Both approve; what became of the request, and of the deployment. */
async function approve(): Promise<{ readonly status: string; readonly reason: string; readonly state: string | null }> {
  await demo.people.cleo.click('Approve');
  await demo.people.dara.click('Approve');
  return outcome();
}

function outcome(): Promise<{ readonly status: string; readonly reason: string; readonly state: string | null }> {
  return eventually(
    async () => {
      const [found] = await sql<{ status: string; reason: string | null; state: string | null }>(
        `select a.status, a.reason, d.state from approvals a left join deployments d on d.deployment_id = a.action_id
          where a.card ->> 'what' like '%' || $1 || ' %' order by a.requested_at desc limit 1`,
        [project],
      );
      return { status: found?.status ?? '', reason: found?.reason ?? '', state: found?.state ?? null };
    },
    ({ status, state }) =>
      status === 'void' ||
      (status === 'consumed' && state !== null && /^(?:succeeded|failed|rolled_back)$/.test(state)),
    60_000,
  );
}

const deployed = async (): Promise<readonly string[]> =>
  (
    await sql<{ commit: string }>('select commit from deployments where project = $1 and commit is not null', [project])
  ).map(({ commit }) => commit);

describe('a deployment that two operators approved', () => {
  it('shows repository, whole commit, server, build and variable names on its card, and exactly this is deployed', async () => {
    await demo.tell(demo.people.ben, `set COLOR of ${project} in staging to red`, /COLOR/);
    await sql(`insert into services (project, environment, server) values ($1, 'production', 'local')`, [project]);
    await sql(
      `insert into service_variables (project, environment, name, value, given_by, action_id) values ($1, 'production', 'SHADE', 'dark-blue', '1002', 'a')`,
      [project],
    );
    const card = await askFor('main');
    for (const part of [repository.folder, first, 'local', 'server.mjs', '/health', 'SHADE'])
      expect(card).toContain(part);
    expect(card).not.toContain('dark-blue');
    expect(await approve()).toMatchObject({ status: 'consumed', state: 'succeeded' });
    expect(await deployed()).toEqual([first]);
  }, 90_000);

  it('is void when the branch moved after the approval, and the message names the old and the new commit', async () => {
    await askFor('main');
    const second = repository.release('v2', appFiles({ build: `console.log('evil');` }));
    expect(await approve()).toMatchObject({
      status: 'void',
      reason: expect.stringContaining(`commit was \`${first}\` and is \`${second}\``),
    });
    const told = await demo.people.ben.waitFor(/no longer valid: since it was asked for, build was/);
    expect(told).toContain('build.mjs');
    expect(await deployed()).toEqual([]);
  }, 90_000);

  it('is void when its commit was replaced by a forced push', async () => {
    await askFor('main');
    git(repository.folder, 'commit', '--quiet', '--amend', '--message', 'other');
    git(repository.folder, 'tag', '--delete', 'v1');
    expect(await approve()).toMatchObject({ status: 'void', reason: expect.stringContaining('commit was') });
    expect(await deployed()).toEqual([]);
  }, 90_000);

  it('is void when a project with the same repository has already fetched a new commit', async () => {
    await askFor('main');
    const other = `${project}-twin`;
    await addProject(other, repository);
    const second = repository.release('v2', appFiles({}));
    await demo.tell(demo.people.ben, `deploy version main of ${other} to staging`, new RegExp(`Deployed ${other}`));
    expect(await approve()).toMatchObject({ status: 'void', reason: expect.stringContaining(second) });
    expect(await deployed()).toEqual([]);
  }, 90_000);

  it('is void when an annotated tag was moved', async () => {
    git(repository.folder, 'tag', '--annotate', '--message', 'release', '2.0', first);
    const card = await askFor('2.0');
    expect(card).toContain(first);
    const second = repository.release('x', appFiles({}));
    git(repository.folder, 'tag', '--force', '--annotate', '--message', 'release', '2.0', second);
    expect(await approve()).toMatchObject({ status: 'void', reason: expect.stringContaining(second) });
    expect(await deployed()).toEqual([]);
  }, 90_000);

  it.each([
    [
      'the address of the repository',
      async () => {
        const other = newRepository(`${project}-other`);
        other.release('v1', appFiles({}));
        git(other.folder, 'fetch', '--quiet', repository.folder, '+main:main', '--update-head-ok');
        await sql('update projects set repository = $2 where name = $1', [project, other.folder]);
      },
      /repository was/,
    ],
    [
      'the server',
      () => sql(`update servers set host = '127.0.0.2' where name = 'local'`),
      /server\.host was `127\.0\.0\.1` and is `127\.0\.0\.2`/,
    ],
    [
      'a variable',
      async () => {
        await sql(`insert into services (project, environment, server) values ($1, 'production', 'local')`, [project]);
        await sql(
          `insert into service_variables (project, environment, name, value, given_by, action_id) values ($1, 'production', 'NODE_OPTIONS', '--x', '1002', 'a')`,
          [project],
        );
      },
      /variables\.NODE_OPTIONS was not there/,
    ],
  ])(
    'is void when %s was changed, although the commit is the same',
    async (_what, change, reason) => {
      await askFor('main');
      const [host] = await sql<{ host: string }>(`select host from servers where name = 'local'`);
      await change();
      expect(await approve()).toMatchObject({ status: 'void', reason: expect.stringMatching(reason) });
      expect(await deployed()).toEqual([]);
      await sql(`update servers set host = $1 where name = 'local'`, [host?.host]);
    },
    90_000,
  );

  it('fails when the repository changes between the approval and the job', async () => {
    await askFor('main');
    // The row is written with the plan, and the job has not begun: so short is the time that the change is made with it.
    await sql(`create or replace function swap_repository() returns trigger language plpgsql as $$
      begin update projects set repository = '/nowhere' where name = new.project; return new; end $$`);
    await sql(
      `create or replace trigger swap after insert on deployments for each row execute function swap_repository()`,
    );
    try {
      expect(await approve()).toMatchObject({ status: 'consumed', state: 'failed' });
    } finally {
      await sql('drop trigger swap on deployments');
    }
    await demo.people.ben.waitFor(/repository was .* and is .*nowhere/);
    expect(await deployed()).toEqual([]);
  }, 90_000);
});

describe('a rollback that was approved', () => {
  it('starts exactly the release and variables that the approval card shows, or nothing', async () => {
    const { ben, cleo, dara } = demo.people;
    const release = async (version: string): Promise<void> => {
      await askFor(version);
      expect(await approve()).toMatchObject({ status: 'consumed', state: 'succeeded' });
    };
    await release('v1');
    const second = repository.release('v2', appFiles({}));
    await release('v2');
    await sql(
      `insert into service_variables (project, environment, name, value, given_by, action_id) values ($1, 'production', 'DB_PASSWORD', 'old', '1002', 'a')`,
      [project],
    );
    const ask = async (): Promise<string> => {
      await demo.tell(ben, `roll back ${project} in production`, /needs approval/);
      for (const who of [dara, cleo]) await openCards(who, 1);
      return openBound('Roll');
    };
    /** The cards of this request that have buttons, once there are so many. */
    const openCards = (who: typeof cleo, count: number) =>
      eventually(
        async () =>
          (await who.heard()).filter(
            ({ text, buttons }) => text.includes(`Roll ${project} in production back to v1`) && buttons !== null,
          ),
        (found) => found.length === count,
      );
    const card = await ask();
    expect(card).toContain(first);
    expect(card).not.toContain(second);
    await sql(`update service_variables set value = 'new', given_at = now(), action_id = 'b' where project = $1`, [
      project,
    ]);
    const outcomeOf = await approve();
    expect(outcomeOf).toMatchObject({ status: 'void', reason: expect.stringContaining('variables.DB_PASSWORD was') });
    // A button of the void request must not be pressed for the new one.
    for (const who of [dara, cleo]) await openCards(who, 0);
    await ask();
    expect(await approve()).toMatchObject({ status: 'consumed', state: 'succeeded' });
    expect((await deployed()).filter((commit) => commit === first)).toHaveLength(2);
  }, 120_000);
});

describe('the name of a version', () => {
  it('that looks like a commit id does not take the place of the commit with this id', async () => {
    const second = repository.release('v2', appFiles({}));
    git(repository.folder, 'branch', first, second);
    git(repository.folder, 'tag', first.slice(0, 10), second);
    const card = await askFor(first);
    expect(card).toContain(`→ commit: ${first}`);
    expect(card).not.toContain(second);
    await demo.people.ben.click('Withdraw');
    await demo.tell(
      demo.people.ben,
      `deploy version ${first.slice(0, 10)} of ${project} to production`,
      /is the beginning of a commit id and also a tag or branch/,
    );
    expect(await deployed()).toEqual([]);
  }, 90_000);

  it('that does not exist is rejected at once, and nobody is asked to approve', async () => {
    const asked = `deploy version 9.9 of ${project} to production`;
    const said = await demo.tell(demo.people.ben, asked, /no tag, branch or commit/i);
    expect(said).toContain('9.9');
    expect(await sql(`select 1 from approvals where card ->> 'what' like '%' || $1 || ' %'`, [project])).toEqual([]);
  }, 90_000);
});

describe('a deployment that needs no approval', () => {
  it('runs the commit that its branch pointed to when policy decided', async () => {
    await demo.tell(
      demo.people.ben,
      `deploy version main of ${project} to staging`,
      /Say “cancel the deploy” to stop it/,
    );
    repository.release('v2', appFiles({}));
    const said = await demo.people.ben.waitFor(new RegExp(`Deployed ${project} in staging: .*${first.slice(0, 7)}`));
    expect(said).toContain(first.slice(0, 7));
    expect(await deployed()).toEqual([first]);
    const [plan] = await sql<{ commit: string }>(
      `select d.plan ->> 'commit' as commit from deployments d join actions a on a.action_id = d.deployment_id
        where project = $1 and a.proposal #>> '{action,resolved,commit}' = d.plan ->> 'commit'`,
      [project],
    );
    expect(plan?.commit).toBe(first);
  }, 90_000);
});

describe('a repository full of traps', () => {
  it('exposes no data of Signalbox to its build and program, and none of its code runs while it is scanned', async () => {
    const outside = join(dirname(demo.targets), `${project}-outside`);
    mkdirSync(outside);
    writeFileSync(join(outside, 'key'), 'canary-of-ours');
    const planted = join(outside, 'planted');
    const build = `import { readFileSync, readdirSync } from 'node:fs';
      for (const path of ['leak', 'folder/key', '../../../leak', 'log'])
        try { console.log('got', readFileSync(path, 'utf8')); } catch (error) { console.log('refused', path); }
      try { console.log('got', readdirSync('folder').join()); } catch { console.log('refused folder'); }`;
    const begin = `import { readFileSync as read } from 'node:fs';
      for (const path of ['leak', 'folder/key', 'log']) try { console.log('got', read(path, 'utf8')); } catch { console.log('refused', path); }`;
    const file = { health: { path: '//evil.example/@127.0.0.1:1/../../etc/passwd?x=1' } };
    const traps = {
      ...appFiles({ build, begin, file }),
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${planted}\n`,
      '.gitconfig': `[core]\n\tfsmonitor = touch ${planted}\n`,
    };
    for (const [name, target] of [
      ['leak', join(outside, 'key')],
      ['folder', outside],
      ['log', join(outside, 'key')],
    ] as const)
      symlinkSync(target, join(repository.folder, name));
    repository.release('v2', traps);
    // Hooks, filters and helpers of the repository that is fetched from, and of the commit itself.
    for (const hook of [
      'post-checkout',
      'pre-receive',
      'update',
      'reference-transaction',
      'fsmonitor-watchman',
      'post-index-change',
    ])
      writeFileSync(join(repository.folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${planted}\n`, { mode: 0o755 });
    for (const setting of [
      'filter.evil.smudge',
      'filter.evil.process',
      'core.fsmonitor',
      'uploadpack.packObjectsHook',
      'core.sshCommand',
    ])
      git(repository.folder, 'config', setting, `touch ${planted}`);
    rmSync(planted, { force: true }); // the commit was made with that folder as its home, and so by its .gitconfig
    await demo.tell(
      demo.people.ben,
      `deploy version v2 of ${project} to staging`,
      /Say “cancel the deploy” to stop it/,
    );
    const end = await eventually(
      async () =>
        (await sql<{ state: string }>('select state from deployments where project = $1', [project]))[0]?.state ?? '',
      (state) => /^(?:succeeded|failed|rolled_back)$/.test(state),
      60_000,
    );
    expect(end).toMatch(/failed|succeeded/);
    const lines = await sql<{ line: string }>(
      'select line from deployment_lines where deployment_id in (select deployment_id from deployments where project = $1)',
      [project],
    );
    expect(lines.filter(({ line }) => line.includes('refused')).length).toBeGreaterThan(3);
    expect(JSON.stringify(lines)).not.toContain('canary-of-ours');
    expect(existsSync(planted)).toBe(false);
    expect(readFileSync(join(outside, 'key'), 'utf8')).toBe('canary-of-ours');
  }, 120_000);
});

describe('the address of a repository', () => {
  const move = (): Promise<string> =>
    demo.tell(
      demo.people.ben,
      `the repository of ${project} is https://example.com/evil/shop.git`,
      /needs approval|I updated/,
    );
  const address = async (): Promise<string> =>
    (await sql<{ repository: string }>('select repository from projects where name = $1', [project]))[0]?.repository ??
    '';

  it('is not changed without an operator when the project runs in production', async () => {
    await sql(`insert into services (project, environment, server) values ($1, 'production', 'local')`, [project]);
    expect(await move()).toMatch(/needs approval/);
    expect(await address()).toBe(repository.folder);
  }, 60_000);

  it('is changed by a developer when the project does not run in production', async () => {
    await demo.people.ben.ask('/new'); // the news of deployments before is text from outside
    expect(await move()).toMatch(/I updated/);
  }, 60_000);
});
