import { cpSync, rmSync } from 'node:fs';
import { readdir, readlink, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDemoRepository } from '@signalbox/local/setup/demo-repository';
import { inject } from 'vitest';
import { openTestConfinement } from './bubblewrap.ts';
import type { Person } from './person.ts';
import { openStack, type Stack, type StackOptions } from './stack.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { eventually } from './until.ts';
import { choosePortBlock } from './free-port.ts';

/** The whole product as `npm start` has it, with the proxy, the demo's repository and programs of this machine as targets. */
export interface DemoStack {
  readonly stack: Stack;
  /** Folder of the programs that are deployed. */
  readonly targets: string;
  /** Ben 1002 (developer), Cleo 1003 and Dara 1004 (operators), Eli 1005 (viewer). */
  readonly people: Readonly<Record<'ben' | 'cleo' | 'dara' | 'eli', Person>>;
  /** What runs below the folder of targets: pid and command line. */
  processes(): Promise<readonly { readonly pid: number; readonly command: string }[]>;
  /** Says something and waits until the bot has said something that matches, in any message since. */
  tell(person: Person, text: string, pattern: RegExp, withinMs?: number): Promise<string>;
  /** What a service answers through the proxy. */
  visit(
    environment: string,
  ): Promise<{ readonly status: number; readonly release: string | null; readonly body: unknown }>;
  /** The states that a deployment has gone through; the newest one, unless said otherwise. */
  states(ref: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The repository of the demo, made once in each process that runs tests: git takes nine processes for it. */
let made: Promise<string> | null = null;
function demoRepository(): Promise<string> {
  const folder = join(inject('runDir'), `demo-${process.pid}.git`);
  return (made ??= makeDemoRepository(folder).then(() => folder));
}

/** How long a deployment may take on a busy machine. */
const DEPLOY_MS = 60_000;

/** Opens it in a folder of its own, with these variables besides, and only these pools of jobs where that is said. Programs that were deployed are ended by `close`. */
export async function openDemoStack(
  more: Readonly<Record<string, string>> = {},
  pools?: StackOptions['pools'],
  wiring?: StackOptions['wiring'],
): Promise<DemoStack> {
  const folder = makeTemporaryFolder('demo');
  const repository = join(folder, 'demo.git');
  const targets = join(folder, 'targets');
  // Paths of sockets are short.
  const socket = join(tmpdir(), `sb-${basename(folder)}.sock`);
  cpSync(await demoRepository(), repository, { recursive: true });
  const env = {
    DEMO_REPOSITORY: repository,
    REPOSITORIES_DIR: folder,
    TARGETS_DIR: targets,
    DEPLOY_DIR: join(folder, 'deploys'),
    PROXY_DIR: join(folder, 'proxy'),
    PROXY_SOCKET: socket,
    ...(await openTestConfinement()).settings,
    ...more,
  };
  const stack = await openStack({
    jobs: true,
    proxy: true,
    env,
    ...(pools ? { pools } : {}),
    ...(wiring ? { wiring } : {}),
  });
  const ports = choosePortBlock();
  await stack.pool.query(`update servers set first_port = $1, last_port = $1 + 99 where name = 'local'`, [ports]);
  const [ben, cleo, dara, eli] = [
    await stack.person(1002, 'developer'),
    await stack.person(1003, 'operator'),
    await stack.person(1004, 'operator'),
    await stack.person(1005, 'viewer'),
  ];
  const tell: DemoStack['tell'] = async (person, text, pattern, withinMs = DEPLOY_MS) => {
    const before = (await person.heard()).length;
    await person.send(text);
    const found = await eventually(
      async () => (await person.heard()).slice(before).map((message) => message.text),
      (texts) => texts.some((one) => pattern.test(one)),
      withinMs,
    );
    return found.findLast((one) => pattern.test(one)) ?? '';
  };
  const processes = (): ReturnType<DemoStack['processes']> => processesBelow(targets);
  return {
    stack,
    targets,
    people: { ben, cleo, dara, eli },
    processes,
    tell,
    visit: async (environment) => {
      const { rows } = await stack.pool.query<{ port: number }>(
        `select port from services where project = 'demo' and environment = $1`,
        [environment],
      );
      const response = await fetch(`http://127.0.0.1:${rows[0]?.port}/`, { signal: AbortSignal.timeout(10_000) });
      return { status: response.status, release: response.headers.get('x-release'), body: await response.json() };
    },
    states: async (ref) => {
      const { rows } = await stack.pool.query<{ state: string }>(
        `select to_state as state from deployment_events where deployment_id =
           (select deployment_id from deployments where ref = $1 order by requested_at desc limit 1) order by n`,
        [ref],
      );
      return rows.map(({ state }) => state);
    },
    close: async () => {
      try {
        await stack.close();
      } finally {
        for (const { pid } of await processes()) endProcess(pid);
        rmSync(socket, { force: true });
      }
    },
  };
}

/** What works in a folder, or was started with something of it. */
async function processesBelow(folder: string): ReturnType<DemoStack['processes']> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '');
    const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
    // What is confined has the folder among its mounts, under the path that it has on its own disk.
    const mounts = await readFile(`/proc/${name}/mountinfo`, 'utf8').catch(() => '');
    const isInside = mounts.includes(`/${basename(dirname(folder))}/`);
    // A zombie has none of these; it does nothing any more.
    if (isInside || place.startsWith(folder) || command.includes(folder)) found.push({ pid: Number(name), command });
  }
  return found;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
