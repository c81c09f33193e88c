import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import type { SeenMessage } from '../support/person.ts';
import { eventually } from '../support/until.ts';

describe('the buttons of an answer, and the title of its conversation', { timeout: 240_000 }, () => {
  let demo: DemoStack;
  beforeAll(async () => {
    demo = await openDemoStack();
  }, 60_000);
  afterAll(() => demo.close(), 60_000);

  const labels = (message: SeenMessage | undefined): readonly string[] =>
    message?.buttons?.flat().map(({ text }) => text) ?? [];
  /** The message that tells the end of a deployment, once it is there: not the one that is edited while it goes on. */
  const news = async (pattern: RegExp): Promise<SeenMessage | undefined> => {
    const find = async () => (await demo.people.ben.heard()).findLast(({ text }) => pattern.test(text));
    return eventually(find, (found) => found !== undefined, 90_000);
  };
  const thread = async () =>
    (
      await demo.stack.pool.query(
        `select status, title, summary from threads where user_key = '1002' order by n desc limit 1`,
      )
    ).rows[0] as unknown;

  it('depend on the outcome: a rollback after a success, the log and a retry after a failure, otherwise nothing', async () => {
    const { ben } = demo.people;
    await ben.ask('register the demo project');
    expect(labels((await ben.heard()).at(-1))).not.toContain('Done');
    await ben.send('deploy demo 1.0 to staging');
    expect(labels(await news(/Deployed demo in staging: 1\.0\S* serves/))).toEqual([]);
    await ben.send('deploy demo 1.1 to staging');
    expect(labels(await news(/Deployed demo in staging: 1\.1\S* serves/))).toEqual([
      expect.stringMatching(/^Roll back demo in staging to \S+$/),
    ]);
    await ben.send('deploy demo 1.2 to staging');
    expect(labels(await news(/^❌ demo in staging: /))).toEqual(['Show the log', 'Try again']);
    expect(await thread()).toEqual({ status: 'open', title: 'Deploy demo 1.2 to staging', summary: null });
    await ben.ask('thanks, that is all');
    expect(await thread()).toEqual({
      status: 'finished',
      title: 'Deploy demo 1.2 to staging',
      summary: expect.stringMatching(
        /^.*demo.*\nDeploy demo 1\.0 to staging\nDeploy demo 1\.1 to staging\nDeploy demo 1\.2 to staging: failed$/,
      ) as string,
    });
    await ben.ask('what runs on staging');
    expect(await thread()).toEqual({ status: 'open', title: null, summary: null });
  });
});
