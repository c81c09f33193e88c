import { spawn, type ChildProcess } from 'node:child_process';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { KeptOutput } from '../../drivers/kept-output.ts';
import { killGroup } from '../../drivers/process/process-table.ts';
import type { GitCell, GitRoom } from '../../sandbox/git-room.ts';

/** How git ended, and what it wrote; `stdout` is cut at the limit that was given. */
export interface GitResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Git {
  /** Runs git without a shell. Throws the signal's reason when it was ended by it; every other end is a result. */
  (
    words: readonly string[],
    options: {
      readonly signal: AbortSignal;
      readonly env?: Readonly<Record<string, string>>;
      readonly protocols?: string;
      readonly maxBytes?: number;
      /** Locks it into this room, where the machine can: for what reads a repository that is not ours. */
      readonly room?: GitRoom;
    },
  ): Promise<GitResult>;
}

/** What git says of its troubles is for a log line. */
const STDERR_BYTES = 8_192;
const STDOUT_BYTES = 1_048_576;
/** Files of a person or of the machine change nothing, hooks and filters do not run, and nothing is packed behind our back. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  // None of a helper that finds a login, and none of a protocol that is a command.
  'credential.helper=',
  'protocol.ext.allow=never',
];

interface GitOptions {
  readonly path: string;
  readonly home: string;
}

/** Starts git with nothing but what is ours: no settings of a user or of the machine, no hooks, no filters, no prompts, no network. */
export function startGit(
  { path, home }: GitOptions,
  words: readonly string[],
  more: {
    readonly env?: Readonly<Record<string, string>>;
    readonly protocols?: string;
    /** The words of a cell before git's own, the filter of system calls that it reads, and where its libraries are. */
    readonly locked?: { readonly words: readonly string[]; readonly cell: GitCell } | null;
    readonly takesInput?: boolean;
  } = {},
): ChildProcess {
  const { env = {}, protocols = '', locked = null, takesInput = false } = more;
  const [program, ...before] = locked ? [...locked.words, 'git'] : ['git'];
  const child = spawn(program, [...before, ...SETTINGS.flatMap((setting) => ['-c', setting]), ...words], {
    env: {
      ...(locked?.cell.libraryPath ? { LD_LIBRARY_PATH: locked.cell.libraryPath } : {}),
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
    detached: true, // a group of its own, so that what it starts ends with it
    stdio: [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(locked ? (['pipe'] as const) : [])],
  });
  if (locked) {
    const filter = child.stdio[3] as Writable; // it is opened as a pipe above
    filter.on('error', () => undefined); // it ended before it read all of it, which its own end tells
    filter.end(locked.cell.filter);
  }
  return child;
}

/**
 * Git as a child process: it prompts for nothing, reads no settings of a user, and speaks only the protocols that are named. Where
 * there is a cell, what has a room sees nothing else.
 */
export function createGit(options: GitOptions & { readonly cell?: GitCell | null }): Git {
  const { cell = null } = options;
  return (words, { signal, env = {}, protocols = '', maxBytes = STDOUT_BYTES, room }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error); // what aborts here gives an error // every abort of ours has a reason
      const locked = cell && room ? { cell, words: cell.words(room) } : null;
      const child = startGit(options, words, { env, protocols, locked });
      // Pipes, by the options above.
      const [stdout, stderr] = [child.stdout as NodeJS.ReadableStream, child.stderr as NodeJS.ReadableStream];
      const [out, err] = [new KeptOutput(maxBytes).stream(), new KeptOutput(STDERR_BYTES).stream()];
      stdout.on('data', out.keep);
      stderr.on('data', err.keep);
      const kill = (): void => killGroup(child);
      signal.addEventListener('abort', kill, { once: true });
      child.once('error', (error) => {
        signal.removeEventListener('abort', kill);
        reject(error);
      });
      child.once('close', (code) => {
        signal.removeEventListener('abort', kill);
        if (signal.aborted)
          reject(signal.reason as Error); // what aborts here gives an error
        else resolve({ code, stdout: out.bytes(), stderr: err.bytes().toString('utf8').trim() });
      });
    });
}
