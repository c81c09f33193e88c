import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { makeRepository } from '../support/deploy-repository.ts';
import type { SeenMessage } from '../support/person.ts';
import { loadTestConfig } from '../support/config.ts';

// Who does not say which version is offered those that there are, and “the newest” is one of them.

let demo: DemoStack;
let folder: string;
const SERVER = { 'server.mjs': `import 'node:http';`, 'signalbox.json': '{"start":["node","server.mjs"]}' };
beforeAll(async () => {
  demo = await openDemoStack();
  const repository = makeRepository(join(demo.targets, '..', 'todo'));
  ({ folder } = repository);
  for (const tag of ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']) repository.release(tag, SERVER);
  await demo.people.ben.ask('register the demo project');
  await demo.people.ben.ask(`create a project called todo with repository ${folder}`);
}, 60_000);
afterAll(() => demo.close(), 60_000);

const last = async (): Promise<SeenMessage | undefined> => (await demo.people.ben.heard()).at(-1);
const labels = async (): Promise<readonly string[]> => (await last())?.buttons?.flat().map(({ text }) => text) ?? [];
const newest = async (): Promise<unknown> =>
  (await demo.stack.pool.query('select project, environment, ref from deployments order by requested_at desc limit 1'))
    .rows[0];
const git = (...words: string[]): string =>
  execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', env: { PATH: loadTestConfig().path } });

describe('the question which version to deploy', { timeout: 120_000 }, () => {
  it('offers the newest tags and the main branch as buttons, and a press is the answer', async () => {
    const { ben } = demo.people;
    expect((await ben.ask('deploy todo to staging')).join()).toContain('Which version');
    expect(await labels()).toEqual(['1.5', '1.4', '1.3', '1.2', '1.1', 'main']);
    await ben.clickAndWait('1.4');
    expect(await newest()).toEqual({ project: 'todo', environment: 'staging', ref: '1.4' });
  });

  it('can be answered by the typed position or name of a version', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await ben.ask('deploy demo to staging');
    expect(await labels()).toEqual(['1.2', '1.1', '1.0', 'main']);
    await demo.tell(ben, 'the third one', /✅ Deployed demo in staging: 1\.0/);
    expect(await newest()).toEqual({ project: 'demo', environment: 'staging', ref: '1.0' });
    await ben.ask('/new');
    await ben.ask('deploy demo to staging');
    await demo.tell(ben, '1.1', /✅ Deployed demo in staging: 1\.1/);
  });

  it('is asked in the same way in another language', async () => {
    const { ben } = demo.people;
    await ben.ask('/language de');
    await ben.ask('/new');
    const asked = (await ben.ask('deploy demo to staging')).join();
    await ben.ask('/language en');
    expect(asked).not.toContain('Which version');
    expect(await labels()).toEqual([]);
    expect(
      (await ben.heard())
        .findLast(({ buttons }) => buttons)
        ?.buttons?.flat()
        .map(({ text }) => text),
    ).toEqual(['1.2', '1.1', '1.0', 'main']);
    await ben.ask('main');
    expect(await newest()).toEqual({ project: 'demo', environment: 'staging', ref: 'main' });
  });

  it('can be answered by “the newest”, in the order or as the answer, which means the newest tag', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await ben.ask('deploy the newest version of todo to staging');
    expect(await newest()).toMatchObject({ project: 'todo', ref: '1.5' });
    await ben.ask('/new');
    await ben.ask('deploy todo to production');
    await ben.ask('the latest');
    const { rows } = await demo.stack.pool.query(`select arguments from actions order by proposed_at desc limit 1`);
    expect(rows).toEqual([{ arguments: { project: 'todo', version: '1.5', environment: 'production' } }]);
  });

  it('is answered with the tag or branch that has exactly the typed name', async () => {
    const { ben } = demo.people;
    git('branch', 'latest', '1.1');
    await ben.ask('/new');
    await ben.ask('deploy the latest version of todo to local');
    expect(await newest()).toEqual({ project: 'todo', environment: 'local', ref: 'latest' });
  });
});
