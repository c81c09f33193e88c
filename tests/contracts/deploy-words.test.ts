import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, it } from 'vitest';
import type { z } from 'zod';

// What people say about deployments, as the planner understands it without a model, with the tools that are installed.

const { catalog } = createRegistry(await loadCapabilities());
const NAMES = { project: ['demo'], server: ['local'] };

/** The tool that would be called, or asked about, with its arguments and the question. */
function understood(text: string, story: z.input<typeof PriorContext> = {}) {
  const { calls, question } = explainMessage(catalog, text, PriorContext.parse({ names: NAMES, ...story }));
  const [call] = calls;
  return [call?.tool ?? question?.tool, call?.arguments ?? question?.args, question?.message ?? null];
}

const STAGING = { project: 'demo', environment: 'staging' };
const WHERE = 'For which environment: staging, production or local?';

it.each([
  ['deploy demo 1.0 to staging', 'trigger_deploy', { ...STAGING, version: '1.0' }],
  [
    'deploy demo 1.0 to production please',
    'trigger_deploy',
    { project: 'demo', environment: 'production', version: '1.0' },
  ],
  ['deploy branch main of demo to staging', 'trigger_deploy', { ...STAGING, version: 'main' }],
  ['ship main of demo to staging', 'trigger_deploy', { ...STAGING, version: 'main' }],
  ['put demo s1 on staging', 'trigger_deploy', { ...STAGING, version: 's1' }],
  ['deploy demo buildfail to staging', 'trigger_deploy', { ...STAGING, version: 'buildfail' }],
  ['deploy demo feature/login to staging', 'trigger_deploy', { ...STAGING, version: 'feature/login' }],
  ['ship buildfail of demo to staging', 'trigger_deploy', { ...STAGING, version: 'buildfail' }],
  ['deploy demo 3f2a9c1 to staging', 'trigger_deploy', { ...STAGING, version: '3f2a9c1' }],
  ['roll back demo in staging', 'rollback_deploy', STAGING],
  ['list the files', 'list_files', {}],
  ['roll demo back to 1.0 in staging', 'rollback_deploy', { ...STAGING, to_version: '1.0' }],
  ['cancel the deploy', 'cancel_deploy', { project: 'demo' }],
  ['stop the deploy of demo', 'cancel_deploy', { project: 'demo' }],
  ['stop demo in staging', 'stop_service', STAGING],
  ['take demo down on staging', 'stop_service', STAGING],
  ['is demo down on staging', 'check_service_health', STAGING],
  ['what runs on staging', 'list_services', { environment: 'staging' }],
  ['what runs where', 'list_services', {}],
  ['show the last deployments', 'list_deployments', {}],
  // Without a name, the last deployment of the conversation is meant.
  ['how is the deploy going', 'get_deploy_status', {}],
  ['why did the deploy fail', 'get_deploy_status', {}],
  ['which version of demo runs in production', 'get_deploy_status', { project: 'demo', environment: 'production' }],
  ['show me the logs of the deploy', 'get_deploy_logs', { project: 'demo' }],
  ['is demo 1.1 ready for staging', 'check_deploy_readiness', { ...STAGING, version: '1.1' }],
  [
    'set GREETING of demo in staging to good morning',
    'set_service_variable',
    { ...STAGING, name: 'GREETING', value: 'good morning' },
  ],
  [
    'use secret:db as DB_PASSWORD of demo in staging',
    'set_service_variable',
    { ...STAGING, name: 'DB_PASSWORD', value: 'secret:db' },
  ],
  ['list the tags of the demo repository', 'read_repository', { project: 'demo' }],
  ['list the variables of demo in staging', 'list_service_variables', STAGING],
])('the deployment request %j calls the expected tool', (text, tool, args) => {
  expect(understood(text)).toEqual([tool, args, null]);
});

it.each([
  ['ship 1.1 of demo', 'trigger_deploy', { project: 'demo', version: '1.1' }, WHERE],
  ['roll back demo', 'rollback_deploy', { project: 'demo' }, WHERE],
  ['shut down the demo service', 'stop_service', { project: 'demo' }, WHERE],
  ['deploy demo to staging', 'trigger_deploy', STAGING, 'Which version: a tag, a branch or a commit?'],
])('the deployment request %j is answered with a question', (text, tool, args, question) => {
  expect(understood(text)).toEqual([tool, args, question]);
});

it.each(['register the demo project', 'set up the demo', 'i want to try it out'])(
  'the request %j registers the demo project',
  (text) => {
    expect(understood(text, { names: { project: [], server: ['local'] } })).toEqual([
      'register_demo_project',
      {},
      null,
    ]);
  },
);

const after = (tool: string, args: Record<string, string>, text: string) => ({
  lastTool: { tool, arguments: args },
  messages: [
    { from: 'person' as const, text },
    { from: 'signalbox' as const, text: 'All right.' },
  ],
});
const DEPLOYED = after('trigger_deploy', { ...STAGING, version: '1.0' }, 'deploy demo 1.0 to staging');

it.each([
  ['now 1.1', 'trigger_deploy', { ...STAGING, version: '1.1' }],
  ['cancel it', 'cancel_deploy', STAGING],
  ['is it done yet', 'get_deploy_status', STAGING],
  ['is it live yet', 'get_deploy_status', STAGING],
  ['done yet?', 'get_deploy_status', STAGING],
  ['is it finished', 'get_deploy_status', STAGING],
  ['what runs on staging, mate', 'list_services', { environment: 'staging' }],
  ['why did it fail', 'get_deploy_status', STAGING],
  ['show me its logs', 'get_deploy_logs', STAGING],
  ['roll it back', 'rollback_deploy', STAGING],
])('after a deployment, the message %j calls the tool for the same deployment', (text, tool, args) => {
  expect(understood(text, DEPLOYED)).toEqual([tool, args, null]);
});

it.each([
  ['/srv/v1.2/demo-5135531e/pages', ''],
  ['https://git.example.org/ann/pages-2.0.git', ''],
  ['/srv/repositories/mono', ', folder apps/web'],
])(
  'the request to create a project from %s creates it, and no word of the request is taken for a version',
  (repository, more) => {
    const folder = more === '' ? {} : { folder: 'apps/web' };
    const args = { name: 'pages', repository, description: repository, ...folder };
    expect(understood(`create project pages with repository ${repository}${more}`)).toEqual([
      'create_project_intent',
      args,
      null,
    ]);
  },
);

it('a follow-up that is a question changes nothing, and its possible meanings are offered', () => {
  const story = PriorContext.parse({ names: NAMES, ...DEPLOYED });
  const { calls, question } = explainMessage(catalog, 'and to production?', story);
  expect(calls).toEqual([]);
  const [reading] = question?.readings ?? [];
  expect(reading).toEqual({
    tool: 'trigger_deploy',
    args: { project: 'demo', environment: 'production', version: '1.0' },
  });
});

it('the answer to a question about a deployment fills in the missing value', () => {
  const story = {
    question: {
      tool: 'rollback_deploy',
      argument: 'environment',
      arguments: { project: 'demo' },
      choices: ['staging', 'production'],
    },
    messages: [
      { from: 'person' as const, text: 'roll back demo' },
      { from: 'signalbox' as const, text: WHERE },
    ],
  };
  expect(understood('staging', story)).toEqual(['rollback_deploy', STAGING, null]);
});

it('“cancel it” cancels a deployment that was just shown, and nothing when no deployment was shown', () => {
  const looked = after('get_deploy_status', { project: 'demo' }, 'how is the deploy going');
  expect(understood('cancel it', looked)).toEqual(['cancel_deploy', { project: 'demo' }, null]);
  expect(understood('cancel it', after('list_projects', {}, 'list the projects'))).toEqual([
    undefined,
    undefined,
    null,
  ]);
});

it('“is it live yet” asks about the last deployment, whatever was looked up in between', () => {
  const looked = after('list_projects', {}, 'list the projects');
  expect(understood('is it live yet', looked)).toEqual(['get_deploy_status', {}, null]);
});

it.each(['deploy demo nicht in staging', 'deploy demo nicht to staging', 'rollback demo pas in staging'])(
  'in %j, no word of another language is taken for a version',
  (text) => {
    expect(explainMessage(catalog, text, PriorContext.parse({ names: NAMES })).calls).toEqual([]);
  },
);

it('a possible version is offered as a button when another word is not understood, and taken at once when it is known', () => {
  const offered = explainMessage(
    catalog,
    'deploy demo buildfail to staging somehow',
    PriorContext.parse({ names: NAMES }),
  );
  expect([offered.calls, offered.question?.choices[0]?.label]).toEqual([[], 'Deploy demo buildfail to staging']);
  const known = PriorContext.parse({ names: { ...NAMES, version: ['buildfail'] } });
  expect(explainMessage(catalog, 'deploy demo buildfail in staging', known).calls).toMatchObject([
    { tool: 'trigger_deploy', arguments: { ...STAGING, version: 'buildfail' } },
  ]);
});

it.each([
  ['if demo is healthy, deploy demo 1.1 to production', 'check_service_health'],
  ['if it is healthy, deploy 1.1 to production', 'check_service_health'],
  ['deploy demo 1.1 to production unless it is down', 'check_service_health'],
  ['once demo is ready deploy demo 1.1 to production', 'check_deploy_readiness'],
])('the conditional request %j looks up the state first, and offers the deployment as a button', (text, look) => {
  const { calls, question, offered } = explainMessage(catalog, text, PriorContext.parse({ names: NAMES, ...DEPLOYED }));
  const args = { project: 'demo', environment: 'production', version: '1.1' };
  expect(calls.map(({ tool }) => tool)).toEqual([look]);
  expect([question, offered.map(({ tool }) => tool), offered[0]?.args]).toEqual([null, ['trigger_deploy'], args]);
});

it('a conditional deployment starts when its button is pressed after the look-up', () => {
  const said = 'if demo is healthy, deploy demo 1.1 to production';
  const messages = [
    { from: 'person' as const, text: said },
    { from: 'signalbox' as const, text: 'demo is healthy.' },
  ];
  const story = PriorContext.parse({ names: NAMES, messages });
  const { calls } = explainMessage(catalog, 'Deploy demo 1.1 to production', story);
  expect(calls).toMatchObject([{ tool: 'trigger_deploy', arguments: { environment: 'production' } }]);
  // An order by words would be one, too; that a bare yes takes the only offer shows that the button is there.
  expect(explainMessage(catalog, 'yes', story).calls).toEqual(calls);
});
