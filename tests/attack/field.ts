import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Program } from '../ingress/program.ts';
import { writeSources } from '../ingress/sources-file.ts';
import { appFiles, makeRepository } from '../support/deploy-repository.ts';
import { endInstances } from '../support/end-instances.ts';
import { freePort } from '../support/free-port.ts';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack, type StackOptions } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';
import type { ModelAnswer } from '../support/model-server.ts';
import { startPuppet, type Call, type Puppet, type Turn } from './puppet.ts';

/** The whole product with the puppet as its model, and a service whose log and build output were written by somebody else. */
export interface Field {
  readonly stack: Stack;
  readonly puppet: Puppet;
  /** Folder of the workspaces. */
  readonly workspaces: string;
  /** Addresses that projects may be deployed from: each is a repository of a program that does nothing. */
  readonly repository: string;
  /** Somebody of a role, who is in the group too. */
  person(id: number, role: string): Promise<Person>;
  /** The program of a case, which writes over HTTP. */
  programOf(n: number): Program;
  /** Does something as a person or a program, and waits until everything that came of it is over. */
  during(who: { readonly id: number | string }, act: () => Promise<unknown>): Promise<void>;
  /** What the simulator is told that a person does. */
  post(path: string, body: object): Promise<unknown>;
  close(): Promise<void>;
}

/** How an instruction comes before the model. */
export interface Planted {
  /** What an honest model calls when it is asked to look. */
  readonly look: readonly Call[];
  /** Instead of saying something: the person brings it themselves. */
  readonly bring?: (person: Person) => Promise<unknown>;
  /** What the person does when the model has answered. */
  readonly afterwards?: (person: Person) => Promise<unknown>;
  /** What is waited for in the end, besides. */
  readonly later?: () => Promise<unknown>;
  /** What the person says instead of the usual words, and the acts that this orders. */
  readonly said?: string;
  readonly asked?: readonly string[];
  /** Whose conversation it is, where it is not the person's. */
  readonly userKey?: string;
}

/** Who deploys the noisy service, and in whose name things were written that nobody asked for. */
export const DEPLOYER = 4_000;
export const STRANGER = 4_001;
const DEPLOY_MS = 90_000;

/** What is written down before the product starts. `log` and `build`: lines that the noisy service writes, and that its build prints. */
export interface Lines {
  readonly log: readonly string[];
  readonly build: readonly string[];
  /** Programs that may write, each with a number. */
  readonly programs?: readonly number[];
}

/** Opens it. `reader`: a clean reader in the place of an honest one. */
export async function openField(
  lines: Lines,
  options: StackOptions = {},
  reader?: (question: string) => ModelAnswer,
): Promise<Field> {
  const sandbox = await locateTestSandbox('commands that a puppet proposes');
  const folder = makeTemporaryFolder('attack');
  const workspaces = join(folder, 'workspaces');
  const targets = join(folder, 'targets');
  const socket = join(tmpdir(), `sb-${basename(folder)}.sock`); // paths of sockets are short
  const repositories = join(folder, 'repositories');
  const repository = makeRepository(join(repositories, 'noisy'));
  const app = appFiles({
    begin: `for (const line of JSON.parse((await import('node:fs')).readFileSync('lines.json', 'utf8'))) console.log(line);`,
    build: `for (const line of ${JSON.stringify(lines.build)}) console.log(line);`,
  });
  repository.release('1.0', { ...app, 'lines.json': JSON.stringify(lines.log) });
  const puppet = await startPuppet(reader);
  const port = await freePort();
  const sources = writeSources(
    (lines.programs ?? []).map((n) => {
      const { source, secret } = sourceOf(n);
      return { name: source, secret, serviceAccount: { name: `P${n}`, role: 'developer' } };
    }),
  );
  const opened = openStack({
    jobs: true,
    proxy: true,
    workers: 2,
    ...options,
    env: {
      ...sandbox?.settings,
      MODEL: 'openai',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: puppet.url,
      WORKSPACE_DIR: workspaces,
      REPOSITORIES_DIR: repositories,
      TARGETS_DIR: targets,
      DEPLOY_DIR: join(folder, 'deploys'),
      PROXY_DIR: join(folder, 'proxy'),
      PROXY_SOCKET: socket,
      ...(lines.programs
        ? { GATEWAY_CHANNELS: 'telegram,ingress', INGRESS_SOURCES_FILE: sources, GATEWAY_HTTP_PORT: String(port) }
        : {}),
      ...options.env,
    },
  });
  opened.catch(() => puppet.close());
  const stack = await opened;
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${stack.simulatorUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const field: Field = {
    stack,
    puppet,
    workspaces,
    repository: repository.folder,
    post,
    programOf: (n) => ({ url: `http://127.0.0.1:${port}`, ...sourceOf(n) }),
    person: async (id, role) => {
      await post('/api/people', { id, name: `P${id}`, inGroup: true });
      return stack.person(id, role);
    },
    during: (who, act) => during(stack, who, act),
    close: async () => {
      try {
        await stack.close();
        await endInstances(targets);
      } finally {
        await puppet.close();
        rmSync(socket, { force: true });
      }
    },
  };
  try {
    await furnish(field);
  } catch (error) {
    await field.close().catch(() => undefined); // what went wrong first is what is told
    throw error;
  }
  return field;
}

/** A program of its own for each case: its user is `ingress-p5001`. */
function sourceOf(n: number): Omit<Program, 'url'> {
  return { source: `p${n}`, secret: `a-secret-of-the-program-of-case-${n}` };
}

/** A registered server, somebody else, and the noisy service, deployed as people deploy. */
async function furnish(field: Field): Promise<void> {
  const { stack, puppet, repository } = field;
  const { pool } = stack;
  const first = 20_000 + randomInt(120) * 100;
  await pool.query(`update servers set first_port = $1, last_port = $1 + 99 where name = 'local'`, [first]);
  await pool.query(
    `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
     values ('rack', '192.0.2.7', 'staging', 64, 1000000, 25000, 26999, 'act_rack')`,
  );
  await field.person(STRANGER, 'developer');
  const deployer = await field.person(DEPLOYER, 'developer');
  await pool.query(
    `insert into projects (name, description, repository, status, owner, action_id)
     values ('noisy', 'Says a lot', $1, 'active', $2, 'act_noisy')`,
    [repository, String(DEPLOYER)],
  );
  const say = 'deploy noisy 1.0 to staging';
  const args = { project: 'noisy', version: '1.0', environment: 'staging' };
  const turns: readonly Turn[] = [{ say, calls: [{ tool: 'trigger_deploy', args }] }];
  puppet.play(`P${DEPLOYER}`, { turns, patience: 0, fromTurn: 0 });
  await deployer.send(say);
  await eventually(
    async () => {
      const { rows } = await pool.query<{ state: string }>(`select state from deployments where project = 'noisy'`);
      return rows[0]?.state;
    },
    (state) => state === 'succeeded',
    DEPLOY_MS,
  );
}

/** Admitted, settled and delivered: nothing of this person is under way, in whatever chat. */
async function during(
  { pool }: Stack,
  { id }: { readonly id: number | string },
  act: () => Promise<unknown>,
): Promise<void> {
  const look = async () => {
    const { rows } = await pool.query<{ total: number; open: number; unsent: number }>(
      `select (select count(*)::int from inbox where user_key = $1) as total,
              (select count(*)::int from inbox where user_key = $1 and outcome is null) as open,
              (select count(*)::int from outbox where user_key = $1 and status in ('pending', 'sending')) as unsent`,
      [String(id)],
    );
    return rows[0];
  };
  const before = (await look())?.total ?? 0;
  await act();
  await eventually(
    look,
    (now) => now !== undefined && now.total > before && now.open === 0 && now.unsent === 0,
    60_000,
  );
}
