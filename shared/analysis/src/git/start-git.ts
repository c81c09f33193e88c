import { spawn, type ChildProcess } from 'node:child_process';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';

/** A bare git mirror, opened for reading only. */
export interface Mirror {
  /** Absolute path of the mirror. */
  readonly dir: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface GitOptions {
  readonly path: string;
  readonly home: string;
}

export interface GitSandbox {
  /** Command that starts git in the sandbox; git's own command line follows. */
  readonly words: readonly string[];
  /** System call filter, which the sandbox program reads from file descriptor 3. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

/** Git settings that disable hooks, filters, background packing, credential helpers and `ext::` remotes. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'credential.helper=',
  'protocol.ext.allow=never',
];

/** Starts git in a closed environment: no user or system settings, no hooks, no prompts, and no network unless `protocols` names it. */
export function startGit(
  { path, home }: GitOptions,
  words: readonly string[],
  more: {
    readonly env?: Readonly<Record<string, string>>;
    readonly protocols?: string;
    readonly lock?: GitSandbox | null;
    readonly takesInput?: boolean;
  } = {},
): ChildProcess {
  const { env = {}, protocols = '', lock = null, takesInput = false } = more;
  const [program, ...before] = lock ? [...lock.words, 'git'] : ['git'];
  const child = spawn(program, [...before, ...SETTINGS.flatMap((setting) => ['-c', setting]), ...words], {
    env: {
      ...(lock?.libraryPath ? { LD_LIBRARY_PATH: lock.libraryPath } : {}),
      PATH: path,
      HOME: home,
      LANG: 'C.UTF-8',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '/bin/false',
      SSH_ASKPASS: '/bin/false',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=10',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ALLOW_PROTOCOL: protocols,
      GIT_NO_REPLACE_OBJECTS: '1',
      ...env,
    },
    detached: true, // A process group of its own, so that killGroup also ends child processes of git
    stdio: [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(lock ? (['pipe'] as const) : [])],
  });
  if (lock) {
    const filter = child.stdio[3] as Writable; // `stdio` above makes this a pipe
    filter.on('error', () => undefined); // When git ends early, its exit code tells
    filter.end(lock.filter);
  }
  return child;
}
