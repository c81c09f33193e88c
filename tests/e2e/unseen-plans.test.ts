import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { eventually } from '../support/until.ts';
import { makeRepository, type TestRepository } from '../support/deploy-repository.ts';

// A repository that does not say how it runs: it is worked out from its files, and whoever asks sees that once.

const SERVER = 'raise SystemExit("never started here")';
let demo: DemoStack;
let repository: TestRepository;
const page = (text: string) => ({ 'index.html': `<title>${text}</title>` });
beforeAll(async () => {
  demo = await openDemoStack();
  repository = makeRepository(join(demo.targets, '..', 'pages'));
  repository.release('1.0', page('one'));
  repository.release('1.1', page('two'));
}, 60_000);
afterAll(() => demo.close(), 60_000);

const ask = (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern);

it('the first deployment of a project shows its start plan, and waits for a tap', async () => {
  const said = await ask(`create project pages with repository ${repository.folder}`, /created the project pages/);
  expect(said.split(repository.folder)).toHaveLength(2);
  const card = await ask('deploy pages 1.0 to staging', /Deploy pages 1\.0 to staging[^]*apv_/);
  expect(card).toMatch(/Waiting for the person who asked to confirm/);
  await demo.people.ben.click('Show the full request');
  const opened = await demo.people.ben.waitFor(/This is exactly what runs/);
  expect(opened).toMatch(
    /The repository does not say how it runs\. To deploy it, I start it with .*python3 -m http\.server/,
  );
  expect(opened).toContain('unseen-plan-confirms');
  const { rows } = await demo.stack.pool.query('select 1 from deployments');
  expect(rows).toEqual([]);
});

it('a tap on a shown start plan starts the deployment', async () => {
  const before = (await demo.people.ben.heard()).length;
  await demo.people.ben.click('Confirm');
  await eventually(
    async () => (await demo.people.ben.heard()).slice(before).map(({ text }) => text),
    (texts) => texts.some((text) => /✅ Deployed pages in staging: 1\.0-/.test(text)),
    60_000,
  );
}, 90_000);

it('the next deployment with the same start plan does not wait for a tap', async () => {
  await ask('deploy pages 1.1 to staging', /✅ Deployed pages in staging: 1\.1-/);
  const { rows } = await demo.stack.pool.query('select 1 from approvals');
  expect(rows).toHaveLength(1);
}, 90_000);

it('a deployment with a changed start plan shows the plan again', async () => {
  repository.release('2.0', { 'app.py': SERVER });
  const card = await ask('deploy pages 2.0 to staging', /Deploy pages 2\.0 to staging[^]*apv_/);
  expect(card).toContain('Deploy pages 2.0 to staging');
  await demo.people.ben.click('Show the full request');
  await demo.people.ben.waitFor(/python3 app\.py/);
  await demo.people.ben.click('Cancel');
});

it('a deployment whose start its authors name in a Procfile does not wait for a tap', async () => {
  repository.release('2.1', {
    Procfile: 'web: python3 -m http.server "$PORT" --bind "$HOST" --directory .',
    ...page('three'),
  });
  await ask('deploy pages 2.1 to staging', /✅ Deployed pages in staging: 2\.1-/);
  const { rows } = await demo.stack.pool.query(`select 1 from approvals where status = 'pending'`);
  expect(rows).toEqual([]);
}, 90_000);
