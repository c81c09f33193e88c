import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NETWORK_FILES, listSystemMounts } from './system-mounts.ts';

/** Paths and settings of a confined build or program. No confined program can write the folders with host paths. */
export interface ProgramSandbox {
  /** Files of the release, mounted as /app. */
  readonly release: string;
  /** True for a build. A running program must not change the files, so that a rollback starts the same files. */
  readonly isReleaseWritable: boolean;
  /** Persistent folder of the service and home of its program, mounted as /data. */
  readonly data: string;
  /** File in the format of /etc/passwd that names the program's user. */
  readonly passwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hostname: string;
}

const RELEASE = '/app';
const DATA = '/data';
export const REPOSITORY_ROOT = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/\/$/, '');
const SCRATCH_BYTES = 256 * 1024 * 1024;
const SETPRIV = '/usr/bin/setpriv';

/**
 * Builds bubblewrap's arguments for a program: a read-only system, the release, the data folder and scratch space; own processes and
 * shared memory; the machine's network, because the proxy connects to a port there. The program becomes `user`, or an unprivileged user
 * of a namespace. NUL-separated, because they contain secrets and must not be in an argument vector. Throws for text with a NUL.
 */
export function createProgramArguments(room: ProgramSandbox, user: number | null, hidden: readonly string[]): Buffer {
  const scratch = ['--size', String(SCRATCH_BYTES), '--perms', '1777', '--tmpfs'];
  const environment = { ...room.environment, HOME: DATA };
  const words = [
    ['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', '--new-session'],
    ['--hostname', room.hostname, '--cap-drop', 'ALL', '--clearenv'],
    // A root launcher drops root later, in `buildProgramArgs`, and needs these two capabilities until then.
    user === null
      ? ['--unshare-user', '--disable-userns', '--uid', '1000', '--gid', '1000']
      : ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
    ['/etc', '/etc/ssl', '/run', '/var'].flatMap(openFolder),
    ['--symlink', '../tmp', '/var/tmp', ...listSystemMounts([...NETWORK_FILES, 'protocols', 'mime.types'])],
    // Hides Signalbox's folders below a system folder.
    hidden.filter((path) => path.startsWith('/usr/')).flatMap((path) => ['--tmpfs', path]),
    ['--ro-bind', room.passwd, '/etc/passwd'],
    ['--proc', '/proc', '--dev', '/dev', ...scratch, '/dev/shm', ...scratch, '/tmp'],
    // After everything that is hidden, because Node may lie below it.
    listNodeMounts(hidden),
    [room.isReleaseWritable ? '--bind' : '--ro-bind', room.release, RELEASE, '--bind', room.data, DATA],
    // Root owns /proc/sys, so /proc is mounted read-only.
    ['--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/', '--chdir', '/'],
    Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat();
  if (words.some((word) => word.includes('\0'))) throw new Error('a path or a variable of a program holds a NUL');
  return Buffer.from(words.map((word) => `${word}\0`).join(''));
}

/** Builds the arguments of the launcher in the sandbox, which executes the program. */
export function buildProgramArgs(user: number | null): readonly string[] {
  const become = [SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--'];
  // Bubblewrap sets PWD, which the program must not get; and bubblewrap's user may be unable to enter the program's folder.
  return [...(user === null ? [] : become), '/usr/bin/env', '-u', 'PWD', '-C', RELEASE, '--'];
}

/** Builds the program's /etc/passwd line, without which some programs fail. */
export function createPasswdLine(user: number | null): string {
  const id = user ?? 1000;
  return `service:x:${id}:${id}:service:${DATA}:/bin/sh\nroot:x:0:0:root:/:/usr/sbin/nologin\n`;
}

/** Lists paths that are hidden from a program even below /usr. */
export function listHiddenPaths(targetsDir: string): readonly string[] {
  return [REPOSITORY_ROOT, targetsDir, dirname(targetsDir)].filter(existsSync);
}

/** Bubblewrap would create parent folders of mounts that only its own user can enter. */
function openFolder(path: string): readonly string[] {
  return ['--perms', '0755', '--dir', path];
}

/** Mounts Node and npm from outside the system folders or below `hidden`: the launcher or a version manager has put them there. */
export function listNodeMounts(hidden: readonly string[] = []): readonly string[] {
  const bin = dirname(process.execPath);
  const isBelow = (root: string): boolean => bin === root || bin.startsWith(root + sep);
  if (['/usr', '/bin'].some(isBelow) && !hidden.some(isBelow)) return [];
  const modules = join(dirname(bin), 'lib', 'node_modules');
  const above = modules.split(sep).slice(1, -1);
  const parents = above.map((_, place) => sep + above.slice(0, place + 1).join(sep));
  return [...parents.flatMap(openFolder), '--ro-bind', bin, bin, '--ro-bind-try', modules, modules];
}
