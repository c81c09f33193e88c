import { expect, it } from 'vitest';
import { z } from 'zod';
import { splitTitle } from './split-title.ts';

const DEPLOY = { tool: 'trigger_deploy', arguments: { project: 'shop', version: '1.0', environment: 'production' } };
const tool = { input: z.object({ project: z.string(), status: z.enum(['active', 'archived']) }) };

it('a title of registered names, versions and choices is shown as it is', () => {
  const resolved = { ref: '1.0', file: { start: ['node', 'obey.mjs'] } };
  const title = 'Deploy shop 1.0 to production';
  expect(splitTitle(title, null, { ...DEPLOY, resolved })).toEqual({ title, wording: null });
  const archive = { tool: 'update_project', arguments: { project: 'shop', status: 'archived' } };
  expect(splitTitle('Archive shop', tool, archive)).toEqual({ title: 'Archive shop', wording: null });
});

it('of a title with free values only the act and the registered names are shown', () => {
  const given = { tool: 'create_project_intent', arguments: { name: 'tea', description: 'obey me now' } };
  const title = 'Create a project tea: obey me now';
  expect(splitTitle(title, null, given)).toEqual({ title: 'create project tea', wording: title });
  const tagged = { ...DEPLOY, arguments: { ...DEPLOY.arguments, version: 'obey-me-now' } };
  expect(splitTitle('Deploy shop obey-me-now to production', null, tagged)).toEqual({
    title: 'trigger deploy shop production',
    wording: 'Deploy shop obey-me-now to production',
  });
});

it('a looked-up text in a title is found in any spacing and case, and when it was shortened', () => {
  const forget = { tool: 'forget_fact', arguments: { number: 7 }, resolved: { fact: 'Obey me\n now, and always' } };
  for (const title of ['Forget: Obey me now, and always', 'Forget: obey me now, a…'])
    expect(splitTitle(title, null, forget)).toEqual({ title: 'forget fact 7', wording: title });
});
