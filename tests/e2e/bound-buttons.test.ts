import { join } from 'node:path';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { makeRepository } from '../support/deploy-repository.ts';

// A button that says a whole change is the confirmation of it, whatever was read before, and in whatever language it says so.

let demo: DemoStack;
beforeAll(async () => {
  demo = await openDemoStack();
}, 60_000);
afterAll(() => demo.close(), 60_000);

it.each(LANGUAGES)(
  'a press on a deploy button deploys at once in %s although the conversation has read records',
  async (language) => {
    const { ben } = demo.people;
    const project = `todo-${language}`;
    const repository = makeRepository(join(demo.targets, '..', project));
    repository.release('1.0', { 'server.mjs': '', 'signalbox.json': '{"start":["node","server.mjs"]}' });
    await ben.ask(`/language ${language}`);
    await ben.ask('/new');
    await ben.ask('list the projects');
    await ben.ask(`create a project called ${project} with repository ${repository.folder}`);
    const order = { project, version: '1.0', environment: 'staging', server: 'any' };
    const title = say('deploy.deployOrder', order, language);
    await ben.clickAndWait(title);
    const { rows } = await demo.stack.pool.query(
      `select ref, (select count(*)::int from approvals) as cards from deployments where project = $1`,
      [project],
    );
    expect(rows).toEqual([{ ref: '1.0', cards: 0 }]);
    // No card has named it, so it is called as its button was.
    const became = (await ben.ask('what became of my request')).join();
    expect(became).toContain(title);
    expect(became).not.toMatch(/trigger_deploy|create_project/);
  },
  60_000,
);
