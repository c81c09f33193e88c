import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program to start, and its arguments. */
export interface Command {
  readonly file: string;
  readonly words: readonly string[];
}

/** Where Linux distributions keep the program of util-linux that asks the kernel for the signal. */
const PLACES = ['/usr/bin/setpriv', '/bin/setpriv'];

let setpriv: string | null | undefined;

/**
 * The command that starts the same program in such a way that the kernel sends it `signal` when the thread that started it is gone,
 * whatever ended it: a crash, SIGKILL, a closed terminal. Where the system cannot (macOS, busybox) it is the command itself; what is
 * left over then is ended or taken over by the next start.
 */
export function endWithParent(signal: 'TERM' | 'INT', { file, words }: Command): Command {
  setpriv ??= findSetpriv();
  return setpriv === null ? { file, words } : { file: setpriv, words: ['--pdeathsig', signal, file, ...words] };
}

function findSetpriv(): string | null {
  if (process.platform !== 'linux') return null;
  const works = (file: string): boolean =>
    spawnSync(file, ['--pdeathsig', 'TERM', process.execPath, '--version'], { stdio: 'ignore' }).status === 0;
  return PLACES.find((file) => existsSync(file) && works(file)) ?? null;
}
