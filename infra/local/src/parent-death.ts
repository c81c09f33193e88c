import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
}

const SETPRIV_PATHS = ['/usr/bin/setpriv', '/bin/setpriv'];

let setpriv: string | null | undefined;

/**
 * Wraps a command so that the kernel sends `signal` to the program when the parent thread dies. Returns the command unchanged on systems
 * without setpriv (macOS, busybox); there the next start stops or adopts remaining programs.
 */
export function endWithParent(signal: 'TERM' | 'INT', { file, args }: SpawnCommand): SpawnCommand {
  setpriv ??= findSetpriv();
  return setpriv === null ? { file, args } : { file: setpriv, args: ['--pdeathsig', signal, file, ...args] };
}

function findSetpriv(): string | null {
  if (process.platform !== 'linux') return null;
  const canUse = (file: string): boolean =>
    spawnSync(file, ['--pdeathsig', 'TERM', process.execPath, '--version'], { stdio: 'ignore' }).status === 0;
  return SETPRIV_PATHS.find((file) => existsSync(file) && canUse(file)) ?? null;
}
