import type { CatalogGroup } from '@signalbox/contracts/tool-catalog';

const group = (name: string, summary: string, hints: readonly string[]): CatalogGroup => ({
  name,
  summary,
  installed: false,
  tools: [{ name, describe: summary, hints, schema: { type: 'object', properties: {} } }],
});

/** The groups of the product. One that has no file in capabilities/ is named as not installed when somebody needs it. */
export const KNOWN_GROUPS: readonly CatalogGroup[] = [
  group('deploy', 'Deploy projects to servers', [
    'deploy shop to staging',
    'ship version 1.4.2 to production',
    'roll back the last release',
    'cancel the deploy',
    'is shop ready to deploy',
    'show the deploy logs',
  ]),
  group('infrastructure', 'Manage servers and ports', ['list the servers', 'allocate a port']),
  group('project_management', 'Create and manage projects', ['list the projects', 'create a project']),
  group('engineering', 'Have code written and reviewed', [
    'implement a login page',
    'fix the bug in checkout',
    'show the latest pull request',
    'write the code for the feature',
  ]),
  group('diagnose', 'Read logs, check health, find errors', [
    'why is checkout slow',
    'show me the logs of shop',
    'is shop healthy',
    'what errors happened today',
    'restart the service',
  ]),
  group('admin', 'Inspect and repair the system itself', [
    'list the graph nodes',
    'show the state of a node',
    'trigger a node manually',
    'clear the project state',
  ]),
];
