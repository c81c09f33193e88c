import { join } from 'node:path';
import { hasOutside } from '@signalbox/contracts/governance/outside';
import { parseJson } from '@signalbox/contracts/system-error';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { appFiles, makeRepository } from '../support/deploy-repository.ts';
import type { Person } from '../support/person.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { startPlannedModel, type Call } from './marked-world.ts';
import { workThrough } from './trial.ts';

/*
 * An envelope around the runtime's own words costs people a tap that nobody needs. Nobody wrote anything here but the people who ask: what
 * a model reads of these calls is the runtime's own, or stood in the call.
 */

const STAGING = { project: 'shop', environment: 'staging' };

/** Calls by people of their own. */
const CALLS: readonly Call[] = [
  { tool: 'list_projects', args: {} },
  { tool: 'get_project_status', args: { project: 'shopp' } },
  { tool: 'get_deploy_status', args: {} },
  { tool: 'get_deploy_status', args: { project: 'unknown' } },
  { tool: 'list_services', args: {} },
  { tool: 'list_deployments', args: { project: 'shop' } },
  { tool: 'list_service_variables', args: STAGING },
  { tool: 'remove_service_variable', args: { ...STAGING, name: 'NOTHING' } },
  { tool: 'set_service_variable', args: { project: 'unknown', environment: 'staging', name: 'GREETING', value: 'hi' } },
  { tool: 'check_service_health', args: { project: 'shop' } },
  { tool: 'check_service_health', args: { project: 'blog', environment: 'staging' } },
  { tool: 'probe_address', args: { project: 'blog' } },
  { tool: 'get_error_history', args: {} },
  { tool: 'mute_service', args: STAGING },
  { tool: 'get_my_requests', args: {} },
  { tool: 'show_request', args: { request: 'apv_unknown' } },
  { tool: 'withdraw_request', args: { request: 'apv_unknown' } },
  { tool: 'recent_history', args: {} },
  { tool: 'what_changed', args: {} },
  { tool: 'find_suitable_server', args: { memoryMb: 100 } },
  { tool: 'find_suitable_server', args: { memoryMb: 2_000_000_000 } },
  { tool: 'inspect_server', args: { server: 'unknown' } },
  { tool: 'run_diagnostic', args: { server: 'unknown', command: 'uptime' } },
  { tool: 'allocate_port', args: { project: 'shop', server: 'local' } },
  { tool: 'allocate_port', args: { project: 'shop', server: 'unknown' } },
  { tool: 'release_port', args: { server: 'local', port: 20_999 } },
  { tool: 'list_allocations', args: {} },
  { tool: 'list_findings', args: { project: 'shop' } },
  { tool: 'explain_finding', args: { project: 'shop', finding: 4_711 } },
  { tool: 'make_snapshot', args: { project: 'shop' } },
  { tool: 'restore_snapshot', args: { project: 'shop', snapshot: 4_711 } },
  { tool: 'tag_project', args: { project: 'shop', tag: 'mine' } },
  { tool: 'remove_tag', args: { project: 'blog', tag: 'nothing' } },
  { tool: 'list_relationships', args: { project: 'shop' } },
  { tool: 'read_repository_file', args: { project: 'shop', path: 'README.md', version: 'nothing' } },
  { tool: 'read_file', args: { path: 'docs/nothing.txt' } },
  { tool: 'list_files', args: { path: 'nothing' } },
  { tool: 'write_file', args: { path: 'mine.txt', content: 'mine' } },
  { tool: 'apply_diff', args: { diff: '--- /dev/null\n+++ b/docs/mine.txt\n@@ -0,0 +1 @@\n+mine\n' } },
  { tool: 'index_docs', args: {} },
  { tool: 'create_project_intent', args: { name: 'shop', description: 'Something new' } },
  { tool: 'update_project', args: { project: 'unknown', status: 'active' } },
  { tool: 'trigger_deploy', args: { ...STAGING, version: 'nothing' } },
  { tool: 'rollback_deploy', args: { ...STAGING, to_version: '0.9' } },
  { tool: 'stop_service', args: { project: 'blog', environment: 'staging' } },
  { tool: 'trigger_node_manually', args: { thread: 'user_8000_1', node: 'nothing' } },
];

let stack: Stack;
let model: ModelServer;
const plan = new Map<string, Call>();
const envelopes = new Map<string, string>();
let isNewsRead = false;
let next = 8_300;
let deployer: Person;

/** Someone proposes the call. Returns the person, for what comes later. */
async function propose(call: Call, role = 'admin'): Promise<Person> {
  const id = next++;
  plan.set(`P${id}`, call);
  const person = await stack.person(id, role);
  await person.ask(`please do it (${id})`);
  return person;
}

/** The same in a conversation that has begun. */
async function proposeNext(person: Person, call: Call): Promise<void> {
  plan.set(`P${person.id}`, call);
  await person.ask(`now please do the next thing (${call.tool})`);
}

function findEnvelopes(read: readonly string[]): readonly string[] {
  return read.filter((content) => [content, ...content.split('\n')].some((text) => hasOutside(parseJson(text))));
}

beforeAll(async () => {
  const sandbox = await locateTestSandbox('programs of this test');
  model = await startPlannedModel(plan, (person, read) => {
    isNewsRead ||= read.some((content) => content.includes('"event":"job-finished"'));
    for (const content of findEnvelopes(read)) envelopes.set(`${person}: ${JSON.stringify(plan.get(person))}`, content);
  });
  const folder = makeTemporaryFolder('own-words');
  const repository = makeRepository(join(folder, 'repositories/shop'));
  repository.release('1.0', appFiles({}));
  repository.release('1.1', appFiles({}));
  stack = await openStack({
    jobs: true,
    proxy: true,
    env: {
      ...sandbox?.settings,
      MODEL: 'openai',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.url,
      WORKSPACE_DIR: join(folder, 'workspaces'),
      REPOSITORIES_DIR: join(folder, 'repositories'),
      TARGETS_DIR: join(folder, 'targets'),
      DEPLOY_DIR: join(folder, 'deploys'),
      PROXY_DIR: join(folder, 'proxy'),
      PROXY_SOCKET: join(makeTemporaryFolder('s'), 'p.sock'),
    },
  });
  for (const [name, address] of [
    ['shop', repository.folder],
    ['blog', null],
  ])
    await stack.pool.query(
      `insert into projects (name, description, repository, status, owner, action_id) values ($1, '', $2, 'active', '8300', $3)`,
      [name, address, `act_${name}`],
    );
  deployer = await propose({ tool: 'trigger_deploy', args: { ...STAGING, version: '1.0' } });
  await eventually(
    async () => (await stack.pool.query(`select 1 from deployments where state = 'succeeded'`)).rowCount,
    (count) => count === 1,
    60_000,
  );
  await deployer.waitFor(/1\.0/);
}, 180_000);

afterAll(async () => {
  await stack.close();
  await model.close();
}, 60_000);

it('no model reads an envelope where nobody outside wrote anything', { timeout: 300_000 }, async () => {
  const numbered = CALLS.map((call, n) => ({ n, call }));
  await workThrough(numbered, 4, ({ call }) => propose(call).then(() => undefined));
  await proposeNext(deployer, { tool: 'list_projects', args: {} });
  const production = { project: 'shop', environment: 'production', version: '1.0' };
  const asker = await propose({ tool: 'trigger_deploy', args: production }, 'developer');
  for (const tool of ['get_my_requests', 'withdraw_request', 'recent_history'])
    await proposeNext(asker, { tool, args: {} });
  expect(isNewsRead).toBe(true);
  expect([...envelopes].map(([call, text]) => `${call}\n  ${text}`)).toEqual([]);
});
