import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program to start, and its arguments. */
export interface Command {
  readonly file: string;
  readonly words: readonly string[];
}

/** Paths of util-linux's setpriv, which sets the parent-death signal. */
const SETPRIV_PATHS = ['/usr/bin/setpriv', '/bin/setpriv'];

let setpriv: string | null | undefined;

/**
 * Wraps a command so that the kernel sends it `signal` when its parent thread dies for any reason. Returns the command unchanged where
 * unsupported (macOS, busybox); the next start then ends or adopts leftovers.
 */
export function endWithParent(signal: 'TERM' | 'INT', { file, words }: Command): Command {
  setpriv ??= findSetpriv();
  return setpriv === null ? { file, words } : { file: setpriv, words: ['--pdeathsig', signal, file, ...words] };
}

function findSetpriv(): string | null {
  if (process.platform !== 'linux') return null;
  const canUse = (file: string): boolean =>
    spawnSync(file, ['--pdeathsig', 'TERM', process.execPath, '--version'], { stdio: 'ignore' }).status === 0;
  return SETPRIV_PATHS.find((file) => existsSync(file) && canUse(file)) ?? null;
}
