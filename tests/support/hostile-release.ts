import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from './temporary-folder.ts';

const ATTEMPTS = fileURLToPath(new URL('../fixtures/hostile-release/attempts.mjs', import.meta.url));
const KEYS = [
  'secrets.key',
  'signing-key.pem',
  'telegram.token',
  'run.json',
  'postgres/base.db',
  'redis/dump.rdb',
  'workspaces/notes.txt',
];
const OTHERS = ['act_1/artifact/config.json', 'act_1/instance/spec.json', 'act_1/instance/log', '.home/cache.json'];

/** What one attempt got; null when it was refused. */
export interface Attempt {
  readonly attempt: string;
  readonly got: string | null;
}

/** Things of ours that nothing deployed, built or run by an agent may reach: keys, releases of others, a process, sockets. */
export interface Targets {
  /** The folder of data, and the one of releases in it. */
  readonly data: string;
  readonly targetsDir: string;
  readonly files: readonly string[];
  /** The folders of ours that must not be seen. */
  readonly folders: readonly string[];
  readonly canary: string;
  /** A release that makes the attempts: `node attempts.mjs <who> <all|harmless|reach>`. `reach` leaves out what a container may do to itself. */
  makeSource(more?: { readonly folders?: readonly string[]; readonly hosts?: readonly string[] }): string;
  /** Throws when one of the targets was changed, or the process was ended. */
  assertUntouched(): void;
  close(): void;
}

/** Puts the targets into a new folder and starts the process and the sockets. */
export async function plantTargets(): Promise<Targets> {
  const canary = `canary-${Math.random().toString(36).slice(2)}`;
  const data = join(makeTemporaryFolder('confinement'), 'data');
  const targetsDir = join(data, 'targets');
  const files = [
    ...KEYS.map((name) => join(data, name)),
    ...OTHERS.map((name) => join(targetsDir, 'other/staging', name)),
  ];
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    // Readable by all: the file's own rights are not what holds.
    writeFileSync(file, canary, { mode: 0o644 });
  }
  const socketFile = join(makeTemporaryFolder('s'), 'admin.sock');
  const victim = spawn('sleep', ['900'], { env: { SECRETS_KEY: canary }, stdio: 'ignore' });
  const admin = createServer().listen(socketFile);
  const database = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => database.once('listening', resolve));
  const address = database.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const folders = [data, targetsDir, dirname(data), process.cwd(), dirname(socketFile)];
  return {
    data,
    targetsDir,
    files,
    folders,
    canary,
    makeSource: ({ folders: more = [], hosts = [] } = {}) => {
      const source = makeTemporaryFolder('hostile');
      cpSync(ATTEMPTS, join(source, 'attempts.mjs'));
      const machine = hosts.length > 0 ? [] : ['/etc/shadow', '/root/.bash_history']; // a container has its own
      const places = {
        files: [...files, ...machine, join(process.cwd(), 'package.json')],
        folders: [...folders, ...more],
        sockets: [socketFile, '/var/run/docker.sock'],
        abstracts: [],
        ports: hosts.map((host) => ({ host, port })),
      };
      const facts = { ...places, victim: victim.pid, canary, marker: 'planted' };
      writeFileSync(join(source, 'targets.json'), JSON.stringify(facts));
      return source;
    },
    assertUntouched: () => {
      if ((victim.exitCode ?? victim.signalCode) !== null) throw new Error('the other process was ended');
      for (const file of files) if (readFileSync(file, 'utf8') !== canary) throw new Error(`${file} was changed`);
      if (readFileSync('/proc/sys/kernel/core_pattern', 'utf8').includes('planted'))
        throw new Error('the kernel was told');
    },
    close: () => {
      victim.kill('SIGKILL');
      admin.close();
      database.close();
    },
  };
}

/** The attempts that a release has told of on its lines. */
export function parseAttempts(lines: readonly string[]): readonly Attempt[] {
  const found = lines.flatMap((line) => /^attempt (.*)$/.exec(line)?.[1] ?? []);
  return found.map((json) => JSON.parse(json) as Attempt);
}

/** Those that got something. */
export const successes = (said: readonly Attempt[]): readonly Attempt[] => said.filter(({ got }) => got !== null);
