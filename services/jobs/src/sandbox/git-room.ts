import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { BubblewrapProgram } from './bubblewrap.ts';
import { compileFilter } from './system-call-filter.ts';
import { FOR_NETWORK, systemMounts } from './system-mounts.ts';

/** What a fetch may touch: its mirror, and of what it reads from one folder of this machine or the network. */
export interface GitRoom {
  readonly mirror: string;
  /** A repository on this machine; then there is no network. Null: one that is reached by it. */
  readonly local: string | null;
  readonly isSsh: boolean;
  /** What hosts are known by; null for what the machine knows. */
  readonly trustDir: string | null;
}

/** Locks a command of git into a room. */
export interface GitCell {
  /** The words before git's own; its first is the program that is started. */
  words(room: GitRoom): readonly string[];
  /** The filter of system calls, which the program reads from its fourth file descriptor. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

/** The file descriptor of the filter. */
const FILTER_FD = 3;
/**
 * A cell for git, with the view of a build: the system read-only, and nothing of this machine's data but what the room names. Null
 * where there is no bubblewrap, or where git is not part of the system: then git runs with its closed environment alone.
 */
export function openGitCell(options: {
  readonly program: BubblewrapProgram | null;
  readonly path: string;
  /** Folders that must not be seen although they may lie below a folder of the system. */
  readonly hidden: readonly string[];
}): GitCell | null {
  const { program, path, hidden } = options;
  const filter = compileFilter(process.arch);
  const git = path.split(delimiter).find((folder) => folder !== '' && existsSync(join(folder, 'git')));
  const isOfSystem = git !== undefined && /^\/(?:usr\/)?s?bin(?:\/|$)/.test(git);
  if (program === null || filter === null || !isOfSystem) return null;
  return {
    filter,
    libraryPath: program.libraryPath,
    words: ({ mirror, local, isSsh, trustDir }) =>
      [
        [program.file, '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', '--new-session'],
        ['--die-with-parent', '--cap-drop', 'ALL', ...(local === null ? [] : ['--unshare-net'])],
        process.getuid?.() === 0 ? [] : ['--unshare-user', '--disable-userns'],
        systemMounts([...FOR_NETWORK, 'passwd', 'ssh/ssh_known_hosts']),
        hidden.filter((folder) => folder.startsWith('/usr/')).flatMap((folder) => ['--tmpfs', folder]),
        ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
        isSsh ? ['--ro-bind-try', join(homedir(), '.ssh'), join(homedir(), '.ssh')] : [],
        trustDir === null ? [] : ['--ro-bind-try', trustDir, trustDir],
        local === null ? [] : ['--ro-bind', local, local],
        ['--bind', mirror, mirror, '--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/'],
        ['--chdir', '/', '--unsetenv', 'LD_LIBRARY_PATH', '--seccomp', String(FILTER_FD), '--'],
      ].flat(),
  };
}
