import { startGit, type GitOptions } from '@signalbox/analysis/git/start-git';
import { killGroup } from '@signalbox/contracts/process-group';
import { KeptOutput } from '../sandbox/kept-output.ts';
import type { GitConfinement, GitPaths } from '../sandbox/git-room.ts';

/** Exit code and output of a git command; `stdout` is cut at `maxBytes`. */
export interface GitResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Git {
  /** Runs git without a shell. Throws the signal's reason; a failed command is a result. */
  (
    words: readonly string[],
    options: {
      readonly signal: AbortSignal;
      readonly env?: Readonly<Record<string, string>>;
      readonly protocols?: string;
      readonly maxBytes?: number;
      /** The folders that git may see, where the machine supports confinement. */
      readonly room?: GitPaths;
    },
  ): Promise<GitResult>;
}

const STDERR_BYTES = 8_192;
const STDOUT_BYTES = 1_048_576;
/** Runs git without prompts and user settings, over given protocols only. With a cell, git sees only its `room`. */
export function createGit(options: GitOptions & { readonly cell?: GitConfinement | null }): Git {
  const { cell = null } = options;
  return (words, { signal, env = {}, protocols = '', maxBytes = STDOUT_BYTES, room }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error); // Every abort in this service carries an Error.
      const lock = cell && room ? { ...cell, words: cell.words(room) } : null;
      const child = startGit(options, words, { env, protocols, lock });
      // `startGit` makes these streams pipes.
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
          reject(signal.reason as Error); // Every abort in this service carries an Error.
        else resolve({ code, stdout: out.bytes(), stderr: err.bytes().toString('utf8').trim() });
      });
    });
}
