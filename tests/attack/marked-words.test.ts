import { afterAll, beforeAll, expect, it } from 'vitest';
import { MARKS, openMarkedWorld, type Call, type Mark, type MarkedWorld } from './marked-world.ts';
import { GROUPS } from './tool-groups.ts';
import { eventually } from '../support/until.ts';
import { workThrough } from './trial.ts';

/*
 * Whatever a stranger wrote, a model reads it only in a conversation that is marked by then. Every tool that is on offer is called among
 * words of strangers, with arguments that hold none of them.
 */

const ALL = ['noted', 'broken', 'scripted', 'processes', 'away'];
const STAGING = { project: 'noted', environment: 'staging' };
const NEW = { description: 'Something new' };

/** The arguments of each tool; a new one is written down here. */
const ARGUMENTS: Readonly<Record<string, readonly Call['args'][]>> = {
  list_graph_nodes: [{}],
  get_node_state: [{ node: 'product_owner' }],
  trigger_node_manually: [{ thread: 'user_8000_1', node: 'po_tools' }],
  clear_project_state: [{ project: 'processes' }, { project: 'unknown' }],
  check_deploy_readiness: ALL.flatMap((project) => [
    { project, environment: 'staging' },
    { project, environment: 'staging', version: MARKS.tag.slice(0, 2) },
  ]),
  get_deploy_status: [{}, { project: 'noted' }, { project: 'broken' }, { project: 'unknown' }],
  get_deploy_logs: [{ project: 'noted' }, { project: 'scripted' }],
  list_services: [{}],
  list_deployments: [{}, { project: 'noted' }],
  read_repository: ALL.map((project) => ({ project })),
  compare_releases: [
    { project: 'noted', before: MARKS.tag, after: MARKS.branch },
    { project: 'noted' },
    { project: 'noted', before: 'staging', after: 'nothing' },
    { project: 'broken', before: MARKS.tag.slice(0, 2), after: MARKS.tag },
  ],
  set_service_variable: [
    { ...STAGING, name: 'GREETING', value: 'hello' },
    { project: 'unknown', environment: 'staging', name: 'GREETING', value: 'hello' },
  ],
  remove_service_variable: [{ ...STAGING, name: 'NOTHING' }],
  list_service_variables: [STAGING],
  diagnose_service: [{ project: 'noted' }, { project: 'unknown' }],
  check_service_health: [{ project: 'noted' }, { project: 'broken' }],
  probe_address: [{ project: 'noted' }, { project: 'noted', path: '/other' }, { project: 'unknown' }],
  get_service_logs: [{ project: 'noted' }],
  follow_service_logs: [{ project: 'noted', seconds: 1 }],
  get_error_history: [{}, { project: 'noted' }],
  run_diagnostic: [
    { server: 'local', command: 'uptime' },
    { server: 'unknown', command: 'uptime' },
    { server: 'local', release_of: 'noted', command: 'ls' },
  ],
  mute_service: [STAGING, { project: 'unknown', environment: 'staging' }],
  get_node_logs: [{}, { thread: 'user_8100_1' }],
  retry_failed_node: [{}, { thread: 'user_8100_1' }],
  get_my_requests: [{}],
  show_request: [{}, { request: 'apv_unknown' }],
  withdraw_request: [{ request: 'apv_unknown' }],
  recent_history: [{}],
  is_anything_wrong: [{}],
  list_incidents: [{}, { since: '2 hours' }, { project: 'noted' }],
  who_is_on_call: [{}, { project: 'noted' }],
  restart_service: [{ project: 'noted' }, { project: 'unknown' }],
  scale_service: [{ project: 'noted' }],
  what_changed: [{}, { since: '2 hours', project: 'noted' }, { since: 'zqnever' }],
  // The nodes of a change read in talks of their own, from which no act follows: tests/faults/engineering.test.ts.
  trigger_engineering: [{ project: 'unknown', task: 'Add a test' }],
  fix_finding: [{ project: 'noted', finding: 1 }],
  answer_engineering: [{ answer: 'yes' }],
  get_engineering_status: [{}],
  view_latest_pr: [{ project: 'noted' }],
  open_pull_request: [{ change: 1 }],
  export_allocations: [{}],
  export_projects: [{}],
  list_managed_servers: [{}],
  find_suitable_server: [{ memoryMb: 100 }, { memoryMb: 2_000_000 }],
  register_server: [
    { name: 'fresh', host: '192.0.2.8', environment: 'staging', cpus: 1, memoryMb: 512 },
    { name: 'again', host: '192.0.2.7', environment: 'staging', cpus: 1, memoryMb: 512 },
  ],
  inspect_server: [{ server: 'local' }, { server: 'unknown' }],
  trust_host_key: [{ server: 'unknown', fingerprint: `SHA256:${'A'.repeat(43)}` }],
  allocate_port: [
    { project: 'noted', server: 'local' },
    { project: 'noted', server: 'unknown' },
    { project: 'unknown', server: 'local' },
  ],
  get_next_available_port: [{ server: 'local' }, { server: 'unknown' }],
  list_allocations: [{}],
  release_port: [{ server: 'local', port: 20_999 }],
  index_docs: [{}],
  remember_fact: [{ fact: 'I like tea.' }],
  freeze_changes: [{ until: 'tomorrow at 8', reason: 'stocktaking' }, {}, { project: 'noted' }],
  lift_freeze: [{ project: 'noted' }, {}],
  create_schedule: [
    { kind: 'reminder', task: 'drink tea', when: 'tomorrow at 8' },
    { kind: 'task', task: 'list the projects', when: 'every day at 9' },
  ],
  list_schedules: [{}],
  change_schedule: [{ number: 4_711, change: 'pause' }],
  recall_memory: [{}],
  forget_fact: [{ number: 4_711 }, { words: 'tea' }],
  list_projects: [{}],
  get_project_status: [{ project: 'noted' }, { project: 'unknown' }],
  create_project_intent: [
    ...ALL.map((name) => ({ name: `${name}-too`, ...NEW, repository: name })),
    { name: 'noted', ...NEW },
  ],
  update_project: [
    { project: 'away', status: 'active' },
    { project: 'unknown', status: 'active' },
  ],
  register_demo_project: [{}],
  scan_for_secrets: [{ project: 'noted' }, { project: 'away' }],
  audit_dependencies: [{ project: 'noted' }],
  analyze_technical_debt: [{ project: 'noted' }],
  audit_documentation: [{ project: 'noted' }],
  look_over_repository: [{ project: 'scripted' }],
  analyze_everything: [{ project: 'scripted' }],
  read_repository_file: [
    { project: 'noted', path: '.' },
    { project: 'noted', path: `${MARKS.file}.js`, version: MARKS.tag },
    { project: 'noted', path: 'signalbox.json' },
    { project: 'noted', path: 'nothing.txt' },
    { project: 'noted', path: 'README.md', version: 'nothing' },
    { project: 'away', path: '.' },
  ],
  search_repository: [
    { project: 'noted', words: 'exports' },
    { project: 'noted', words: 'console', path: 'server.mjs' },
    { project: 'noted', words: 'console', path: 'nothing' },
  ],
  list_findings: [{ project: 'noted' }],
  explain_finding: [
    { project: 'noted', finding: 1 },
    { project: 'noted', finding: 4_711 },
  ],
  accept_finding: [{ project: 'noted', finding: 4_711, reason: 'It is fine.' }],
  reopen_finding: [{ project: 'noted', finding: 4_711 }],
  get_findings_report: [{ project: 'noted' }],
  make_snapshot: [{ project: 'noted' }],
  list_snapshots: [{ project: 'noted' }],
  restore_snapshot: [{ project: 'noted', snapshot: 4_711 }],
  list_repositories: [{}],
  tag_project: [{ project: 'noted', tag: 'mine' }],
  remove_tag: [{ project: 'noted', tag: 'nothing' }],
  list_relationships: [{ project: 'noted' }],
  read_file: [
    { project: 'noted', path: `${MARKS.file}.txt` },
    { project: 'noted', path: 'nothing.txt' },
  ],
  list_files: [{ project: 'noted' }],
  write_file: [{ project: 'noted', path: 'mine.txt', content: 'mine' }],
  apply_diff: [{ project: 'noted', diff: '--- a/mine.txt\n+++ b/mine.txt\n@@ -1 +1 @@\n-other\n+mine\n' }],
  run_command: [{ project: 'noted', command: 'ls' }],
  // What they do to the service comes after the looks at it.
  trigger_deploy: [
    ...ALL.map((project) => ({ project, version: 'newest', environment: 'staging' })),
    ...ALL.map((project) => ({ project, version: 'nothing', environment: 'staging' })),
    { project: 'unknown', version: '1.0', environment: 'staging' },
    { ...STAGING, version: 'newest', server: 'unknown' },
  ],
  cancel_deploy: [{ project: 'noted' }],
  rollback_deploy: [STAGING, { ...STAGING, to_version: 'nothing' }],
  propose_plan: [
    {
      steps: [
        { tool: 'check_service_health', args: { project: 'noted' } },
        { tool: 'read_repository', args: { project: 'noted' } },
        { tool: 'trigger_deploy', args: { ...STAGING, version: 'nothing' } },
      ],
    },
    {
      steps: [
        { tool: 'read_file', args: { project: 'noted', path: 'nothing.txt' } },
        { tool: 'check_service_health', args: { project: 'unknown' } },
      ],
    },
    {
      steps: [
        { tool: 'check_service_health', args: { project: 'broken', environment: 'staging' } },
        { tool: 'list_projects', args: {}, if: 'healthy' },
      ],
    },
  ],
  show_plan: [{}],
  stop_service: [
    { project: 'broken', environment: 'staging' },
    { project: 'unknown', environment: 'staging' },
  ],
};

/** Where nothing of it is told: the address of who wrote a commit. */
const UNREAD: readonly Mark[] = ['email'];

const offered = GROUPS.filter(({ owner }) => owner === undefined).flatMap((group) => Object.keys(group.tools));

let world: MarkedWorld;
const calls = new Map<string, Call>();
beforeAll(async () => {
  world = await openMarkedWorld();
  const all = Object.entries(ARGUMENTS).flatMap(([tool, given]) => given.map((args) => ({ tool, args })));
  const { rows } = await world.stack.pool.query<{ name: string; repository: string }>(
    `select name, repository from projects`,
  );
  const addressOf = new Map(rows.map(({ name, repository }) => [name, repository]));
  const propose = async ({ tool, args }: Call): Promise<void> => {
    const repository = addressOf.get(String(args['repository']));
    const call = { tool, args: repository === undefined ? args : { ...args, repository } };
    calls.set(await world.propose(call), call);
  };
  const numbered = all.map((call, n) => ({ n, call }));
  await workThrough(numbered, 6, ({ call }) => propose(call));
  await eventually(
    async () => (await world.stack.pool.query(`select 1 from deployments where finished_at is null`)).rowCount,
    (open) => open === 0,
    120_000,
  );
  await propose({ tool: 'get_deploy_logs', args: { project: 'scripted' } });
}, 600_000);
afterAll(() => world.close(), 60_000);

it('every tool is called in conversations that contain text of strangers', () => {
  expect(Object.keys(ARGUMENTS).sort()).toEqual(offered.sort());
});

/** Registered names reach a model as they are, but only in their strict form. */
const NAMES: readonly Mark[] = ['server', 'service', 'person', 'variable', 'label'];

it('text of strangers reaches a model only in an envelope, except registered names of at most two words', () => {
  // What the model itself wrote into its call is no news to it.
  const isOwn = (person: string, mark: Mark): boolean =>
    NAMES.includes(mark) || JSON.stringify(calls.get(person)?.args ?? {}).includes(MARKS[mark]);
  const bare = world.sightings.filter((one) => one.bare.some((mark) => !isOwn(one.person, mark)));
  expect(bare.map(({ person, bare: marks, text }) => ({ ...calls.get(person), marks, text }))).toEqual([]);
});

it('no model reads text of strangers before its conversation is marked as tainted', async () => {
  const { rows } = await world.stack.pool.query<{ name: string; at: Date }>(
    `select 'P' || split_part(thread_id, '_', 2) as name, min(first_at) as at from thread_taints group by 1`,
  );
  const markedAt = new Map(rows.map(({ name, at }) => [name, at.getTime()]));
  const quoted = world.sightings.filter(({ marks }) => marks.some((mark) => !NAMES.includes(mark)));
  const unmarked = quoted.filter(({ person, at }) => (markedAt.get(person) ?? Infinity) > at);
  const told = unmarked.map(({ person, marks, text }) => ({ ...calls.get(person), marks, text }));
  expect(told).toEqual([]);
});

it('the planted text of strangers reaches a model, so that this file can detect a leak', () => {
  const read = new Set(world.sightings.flatMap(({ marks }) => marks));
  expect((Object.keys(MARKS) as Mark[]).filter((mark) => !read.has(mark))).toEqual(UNREAD);
});

it('text that only the runtime made taints no conversation', async () => {
  const { rows } = await world.stack.pool.query<{ name: string }>(
    `select 'P' || split_part(thread_id, '_', 2) as name from thread_taints`,
  );
  const marked = new Set(rows.map(({ name }) => name));
  const free = [...calls].filter(([person]) => !marked.has(person)).map(([, { tool }]) => tool);
  console.log(`not marked: ${free.join(', ')}`);
  for (const tool of ['set_service_variable', 'mute_service', 'allocate_port', 'write_file', 'remember_fact'])
    expect(free).toContain(tool);
});
