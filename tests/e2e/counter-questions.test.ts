import { eventually } from '../support/until.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';

// Who asks something in between has not given up what they wanted.

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
  await demo.people.ben.ask('register the demo project');
}, 60_000);
afterAll(() => demo.close(), 60_000);

const labels = async (): Promise<readonly string[]> =>
  (await demo.people.ben.heard())
    .at(-1)
    ?.buttons?.flat()
    .map(({ text }) => text) ?? [];
const ENVIRONMENTS = ['staging', 'production', 'local'];

describe('a question that is asked instead of an answer', { timeout: 120_000 }, () => {
  it('is answered, and the question of the bot is repeated below the answer with its buttons', async () => {
    const { ben } = demo.people;
    expect((await ben.ask('deploy demo 1.0')).join()).toMatch(/environment/);
    expect(await labels()).toEqual(ENVIRONMENTS);
    for (const text of ['what runs on staging?', 'list the projects']) {
      const [answer = '', ...more] = await ben.ask(text);
      expect(more).toEqual([]);
      expect(answer).toMatch(/^(?!.*not understand)[^]+\n\n.*environment.*\?$/);
      expect(await labels()).toEqual(ENVIRONMENTS);
    }
    const [there = ''] = await ben.ask('which ones are there?');
    expect(there).toMatch(/staging, production and local/);
    expect(await labels()).toEqual(ENVIRONMENTS);
    // The look-ups in between cost no tap: the person named each value.
    expect(await demo.tell(ben, 'staging', /✅ Deployed demo in staging: 1\.0/)).not.toContain('confirm');
  });

  it('is answered without repeating the question of the bot when no tool looked anything up', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await ben.ask('deploy demo 1.0');
    await ben.ask('which ones are there?');
    expect(await demo.tell(ben, 'local', /✅ Deployed demo in local: 1\.0/)).not.toContain('confirm');
  });

  it('does not bring back a question of the bot that was given up or replaced by another order', async () => {
    const { ben } = demo.people;
    await ben.ask('/new');
    await ben.ask('deploy demo 1.0');
    await ben.ask('never mind');
    expect((await ben.ask('what runs on staging?')).join()).not.toMatch(/environment/);
    await ben.ask('deploy demo 1.0');
    await ben.ask('create a project called shop for the web shop');
    expect(await labels()).not.toEqual(ENVIRONMENTS);
    expect((await ben.ask('what runs on staging?')).join()).not.toMatch(/environment/);
  });

  it('keeps the offered versions as buttons, and a typed version is accepted too', async () => {
    const { ben } = demo.people;
    const isBusy = `select 1 from deployments where finished_at is null`;
    await eventually(
      async () => (await demo.stack.pool.query(isBusy)).rowCount,
      (open) => open === 0,
      60_000,
    );
    await ben.ask('/new');
    await ben.ask('deploy demo to staging');
    const offered = await labels();
    await ben.ask('what runs on staging?');
    expect([offered, await labels()]).toEqual([offered, offered]);
    await demo.tell(ben, '1.1', /✅ Deployed demo in staging: 1\.1/);
  });
});
