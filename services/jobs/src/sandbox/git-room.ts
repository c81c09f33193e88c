import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { BubblewrapProgram } from './bubblewrap.ts';
import { compileFilter } from './system-call-filter.ts';
import { NETWORK_FILES, listSystemMounts } from './system-mounts.ts';

/** Paths of a fetch: its mirror, and the repository's folder or the network. */
export interface GitPaths {
  readonly mirror: string;
  /** Folder of a local repository, which needs no network; null for a remote repository. */
  readonly local: string | null;
  readonly isSsh: boolean;
  /** Folder of trusted host keys; null for the machine's own. */
  readonly trustDir: string | null;
}

/** Confines a git command. */
export interface GitConfinement {
  /** Builds the arguments before git's own arguments, starting with bubblewrap. */
  words(room: GitPaths): readonly string[];
  /** The system call filter, which bubblewrap reads from its fourth file descriptor. */
  readonly filter: Buffer;
  readonly libraryPath: string | null;
}

const FILTER_FD = 3;
/** Opens the confinement for git: a read-only system and the given paths. Null without bubblewrap, or with a git elsewhere. */
export function openGitConfinement(options: {
  readonly program: BubblewrapProgram | null;
  readonly path: string;
  /** Folders to hide although they may lie below a system folder. */
  readonly hidden: readonly string[];
}): GitConfinement | null {
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
        listSystemMounts([...NETWORK_FILES, 'passwd', 'ssh/ssh_known_hosts']),
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
