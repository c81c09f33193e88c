import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { dropOutside } from '@signalbox/contracts/governance/outside';
import { parseJson } from '@signalbox/contracts/system-error';
import { openWorkspace } from '@signalbox/jobs/workspace/workspaces';
import { toWorkspaceName } from '@signalbox/contracts/operations/workspace';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { plantInWorkspace } from '../support/ledger-files.ts';
import { promptOf, startModelServer, type ModelServer } from '../support/model-server.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';
import { makePermissivePolicy } from './permissive-policy.ts';
import { GROUP_OF } from './tool-groups.ts';

/** What strangers wrote, by where: each a word that nothing else holds. */
export const MARKS = {
  description: 'zqdescription',
  label: 'zqlabel',
  tag: 'zqtag',
  branch: 'zqbranch',
  commit: 'zqcommit',
  author: 'zqauthor',
  email: 'zqmail',
  build: 'zqbuild',
  start: 'zqstart',
  path: 'zqpath',
  key: 'zqkey',
  script: 'zqscript',
  process: 'zqprocess',
  version: 'zqversion',
  file: 'zqfile',
  content: 'zqcontent',
  output: 'zqoutput',
  log: 'zqlog',
  answer: 'zqanswer',
  header: 'zqheader',
  variable: 'ZQVARIABLE',
  value: 'zqvalue',
  server: 'zqserver',
  service: 'zqservice',
  person: 'Zqperson',
  finding: 'zqfinding',
} as const;
export type Mark = keyof typeof MARKS;

/** A request to the model in which words of a stranger stood. */
export interface Sighting {
  readonly person: string;
  readonly marks: readonly Mark[];
  /** Those that stood outside of an envelope. */
  readonly bare: readonly Mark[];
  readonly at: number;
  readonly text: string;
}

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface MarkedWorld {
  readonly stack: Stack;
  readonly sightings: Sighting[];
  /** Has a person of their own propose this call, in a conversation of its own, and waits for what comes of it. Answers who it was. */
  propose(call: Call): Promise<string>;
  close(): Promise<void>;
}

const STRANGER = 8_000;
const DEPLOY_MS = 60_000;

/**
 * A model that proposes the planned call of each person once, and says a word at its end. `see` gets what others wrote of each request, and
 * its prompt.
 */
export function startPlannedModel(
  plan: ReadonlyMap<string, Call>,
  see: (person: string, read: readonly string[], prompt: string) => void,
): Promise<ModelServer> {
  return startModelServer((messages, tools) => {
    const prompt = promptOf(messages);
    const person = /The person is (\S+) \(role/.exec(prompt)?.[1] ?? '';
    const others = messages.filter(({ role }) => role !== 'system' && role !== 'assistant');
    see(
      person,
      others.map(({ content }) => content),
      prompt,
    );
    const call = plan.get(person);
    if (tools.includes('classify_intent')) {
      const capabilities = [GROUP_OF[call?.tool ?? ''] ?? ''];
      return { toolCalls: [{ name: 'classify_intent', args: { task_summary: 'work', capabilities, project: null } }] };
    }
    const isMade = messages.some(({ calls = [] }) => calls.some(({ name }) => name === call?.tool));
    return call && !isMade ? { toolCalls: [{ name: call.tool, args: call.args }] } : { content: 'That is all.' };
  });
}

/** The whole product, under rules that permit everything, among what strangers wrote into every field that they can write into. */
export async function openMarkedWorld(): Promise<MarkedWorld> {
  const sandbox = await locateTestSandbox('programs of strangers');
  const folder = makeTemporaryFolder('marked');
  const workspaces = join(folder, 'workspaces');
  const repositories = join(folder, 'repositories');
  const plan = new Map<string, Call>();
  const sightings: Sighting[] = [];
  const model = await startPlannedModel(plan, (person, read, prompt) => {
    // Names of a strict form are in every prompt; what the model itself called is nothing that it read.
    const text = read.join('\n');
    const marks = (Object.keys(MARKS) as Mark[]).filter((mark) => text.includes(MARKS[mark]));
    const open = read.map(dropEnvelopes).join('\n');
    const isPrompted = (Object.keys(MARKS) as Mark[]).filter(
      (mark) => mark !== 'server' && prompt.includes(MARKS[mark]),
    );
    if (marks.length + isPrompted.length > 0)
      sightings.push({
        person,
        marks: [...marks, ...isPrompted],
        bare: [...marks.filter((mark) => open.includes(MARKS[mark])), ...isPrompted],
        at: Date.now(),
        text: text.slice(-1_500),
      });
  });
  const opened = openStack({
    jobs: true,
    proxy: true,
    workers: 2,
    notReplayed: 'what is permitted here is permitted nowhere else',
    env: {
      ...sandbox?.settings,
      MODEL: 'openai',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.url,
      WORKSPACE_DIR: workspaces,
      REPOSITORIES_DIR: repositories,
      TARGETS_DIR: join(folder, 'targets'),
      DEPLOY_DIR: join(folder, 'deploys'),
      PROXY_DIR: join(folder, 'proxy'),
      PROXY_SOCKET: join(tmpdir(), `sb-${basename(folder)}.sock`), // paths of sockets are short
      POLICY_DIR: makePermissivePolicy(),
    },
  });
  opened.catch(() => model.close());
  const stack = await opened;
  let next = 8_100;
  const world: MarkedWorld = {
    stack,
    sightings,
    propose: async (call) => {
      const id = next++;
      plan.set(`P${id}`, call);
      const person = await stack.person(id, 'admin');
      await person.ask(`please do it (${id})`);
      return `P${id}`;
    },
    close: async () => {
      await stack.close();
      await model.close();
    },
  };
  try {
    await furnish(world, { workspaces, repositories });
  } catch (error) {
    await world.close().catch(() => undefined); // what went wrong first is what is told
    throw error;
  }
  return world;
}

/** What a message holds besides envelopes. Each line may be JSON of its own. */
function dropEnvelopes(content: string): string {
  const whole = parseJson(content);
  if (whole !== undefined) return JSON.stringify(dropOutside(whole));
  const lines = content.split('\n').map((line) => [line, parseJson(line)] as const);
  return lines.map(([line, json]) => (json === undefined ? line : JSON.stringify(dropOutside(json)))).join('\n');
}

/** Projects of a stranger's, what one of them deployed, and records about it. */
async function furnish(
  world: MarkedWorld,
  { workspaces, repositories }: { readonly workspaces: string; readonly repositories: string },
): Promise<void> {
  const { pool } = world.stack;
  await world.stack.person(STRANGER, 'developer');
  await pool.query(`update users set name = $1 where user_key = $2`, [MARKS.person, String(STRANGER)]);
  const addresses: Readonly<Record<string, string>> = {
    noted: writeRepository(join(repositories, 'noted'), NOTED),
    broken: writeRepository(join(repositories, 'broken'), {
      'signalbox.json': JSON.stringify({ start: ['node', 'server.mjs'], [MARKS.key]: 1 }),
    }),
    scripted: writeRepository(join(repositories, 'scripted'), {
      'package.json': JSON.stringify({
        name: MARKS.script,
        version: MARKS.version,
        scripts: { start: `node ${MARKS.script}.mjs` },
      }),
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: {} }),
    }),
    processes: writeRepository(join(repositories, 'processes'), { Procfile: `web: ${MARKS.process} --serve\n` }),
    away: join(repositories, 'nowhere'),
  };
  for (const [name, repository] of Object.entries(addresses))
    await pool.query(
      `insert into projects (name, description, repository, status, owner, action_id) values ($1, $2, $3, 'active', $4, $5)`,
      [name, MARKS.description, repository, String(STRANGER), `act_${name}`],
    );
  await pool.query(
    `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
     values ($1, '192.0.2.7', 'staging', 64, 1000000, 25000, 26999, 'act_server')`,
    [MARKS.server],
  );
  await pool.query(
    `insert into port_allocations (server, port, project, service, memory_mb, allocated_by, action_id)
     values ($1, 25000, 'noted', $2, 1, $3, 'act_port')`,
    [MARKS.server, MARKS.service, String(STRANGER)],
  );
  await pool.query(`insert into project_tags (project, tag, user_key) values ('noted', $1, $2)`, [
    MARKS.label,
    String(STRANGER),
  ]);
  await pool.query(
    `insert into repository_runs (run_id, project, chain, ref, is_dry, status, finished_at)
     values ('run_1', 'noted', 'tech_debt', 'HEAD', false, 'completed', now())`,
  );
  await pool.query(
    `insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, line, evidence, "values", first_run, first_commit, changed_run)
     values ('noted', repeat('a', 32), 'code', 'code/merge-conflict', 3, $1, 2, $1, '{}', 'run_1', repeat('c', 40), 'run_1')`,
    [MARKS.finding],
  );
  const workspace = toWorkspaceName('project', 'noted');
  await openWorkspace(workspaces, workspace);
  await plantInWorkspace(workspaces, workspace, `${MARKS.file}.txt`, `${MARKS.content}\n`);
  await world.propose({
    tool: 'trigger_deploy',
    args: { project: 'noted', version: MARKS.tag, environment: 'staging' },
  });
  await eventually(
    async () =>
      (await pool.query<{ state: string }>(`select state from deployments where project = 'noted'`)).rows[0]?.state,
    (state) => state === 'succeeded',
    DEPLOY_MS,
  );
  world.sightings.length = 0; // that call named the tag itself
  const { rows } = await pool.query<{ url: string }>(`select url from deployments where project = 'noted'`);
  await fetch(new URL('/lie', rows[0]?.url));
  await pool.query(
    `insert into service_variables (project, environment, name, value, given_by, action_id)
     values ('noted', 'staging', $1, $2, $3, 'act_variable')`,
    [MARKS.variable, MARKS.value, String(STRANGER)],
  );
}

/** A service of whose every part a stranger chose the words. */
const NOTED: Readonly<Record<string, string>> = {
  'signalbox.json': JSON.stringify({
    build: [['node', 'build.mjs', MARKS.build]],
    start: ['node', 'server.mjs', MARKS.start],
    health: { path: `/${MARKS.path}`, withinSeconds: 10 },
    memoryMb: 200,
  }),
  'build.mjs': `console.log('${MARKS.output}');`,
  'server.mjs': `
import { createServer } from 'node:http';
const { PORT, HOST, SIGNALBOX_RELEASE } = process.env;
let isLying = false; // it is not deployed before it has said which release it is
console.log('${MARKS.log}');
console.error('Error: ${MARKS.log} failed');
createServer((request, response) => {
  console.error('Error: ${MARKS.log} failed again');
  isLying ||= request.url === '/lie';
  response.writeHead(200, { 'x-release': isLying ? '${MARKS.header}' : SIGNALBOX_RELEASE }).end('${MARKS.answer}');
}).listen(Number(PORT), HOST);
`,
  [`${MARKS.file}.js`]: `// ${MARKS.content}\nmodule.exports = {};\n`,
  'package.json': JSON.stringify({ name: MARKS.script, version: '1.0.0', dependencies: { [MARKS.content]: '1.0.0' } }),
  'README.md': `# ${MARKS.content}\n`,
};

/** A repository with a tag, and a branch that is one commit ahead. Answers its folder. */
function writeRepository(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', folder, ...words], {
      encoding: 'utf8',
      env: {
        PATH: loadTestConfig().path,
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: MARKS.author,
        GIT_AUTHOR_EMAIL: `${MARKS.email}@example.org`,
        GIT_COMMITTER_NAME: MARKS.author,
        GIT_COMMITTER_EMAIL: `${MARKS.email}@example.org`,
      },
    });
  git('init', '--quiet', `--initial-branch=${MARKS.branch}`, '.');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  git('add', '--all');
  git('commit', '--quiet', '--message', MARKS.commit);
  git('tag', MARKS.tag);
  git('commit', '--quiet', '--allow-empty', '--message', MARKS.commit); // what the branch has beyond the tag
  return folder;
}
