import { join } from 'node:path';
import type { Limits } from './limits.ts';
import { systemMounts } from './system-mounts.ts';

/** Where the workspace is inside the sandbox. */
const INSIDE = '/workspace';

/** File descriptors that bubblewrap speaks and listens on: the places of the pipes in stage.ts. */
const INFO_FD = 3;
const BLOCK_FD = 4;
const FILTER_FD = 5;

/** The bubblewrap to use, and where its libraries are when they are not installed. */
export interface BubblewrapProgram {
  readonly file: string;
  readonly libraryPath: string | null;
}

/** What a command may touch. Paths of the host; each must have been checked to be no link. */
export interface Room {
  /** The workspace; null for a command that needs none. */
  readonly workspace: string | null;
  /** Whether it has a repository, whose hooks and configuration nothing may change; it has one unless said otherwise. */
  readonly hasRepository?: boolean;
  /** Folders inside of the workspace that may be written, relative to it; `all` for the whole of it. */
  readonly writable: 'all' | readonly string[];
  /** Where the command begins, relative to the workspace. */
  readonly cwd: string;
  readonly limits: Limits;
  /** Processor time of each process, in seconds. */
  readonly cpuSeconds: number;
}

/** Sets limits of the kernel for the command; part of every Debian, and of most other systems. */
const PRLIMIT = '/usr/bin/prlimit';

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/home/agent',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
};

/**
 * The arguments of bubblewrap for one command: nothing of the network, the system read-only, only the room writable, and
 * of its repository neither hooks nor configuration. The filter of system calls comes on FILTER_FD, and the command stands still
 * until a byte comes on BLOCK_FD.
 */
export function bubblewrapArguments(room: Room, argv: readonly string[]): readonly string[] {
  const { limits } = room;
  const size = ['--size', String(limits.scratchBytes)];
  const groups: readonly (readonly string[])[] = [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--cap-drop', 'ALL', '--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--clearenv'],
    Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
    systemMounts(),
    ['--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', '/dev/shm'],
    [...size, '--tmpfs', '/tmp', ...size, '--tmpfs', '/home/agent'],
    room.workspace === null ? [] : workspaceMounts(room.workspace, room),
    // A service that is root owns what is below /proc/sys, also for the kernel: by core_pattern a command would start programs outside.
    ['--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/'],
    ['--chdir', room.workspace === null ? '/tmp' : join(INSIDE, room.cwd)],
    ['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD), '--seccomp', String(FILTER_FD), '--'],
    // Set inside: the number of processes counts for the user of the sandbox, not for the user of this service.
    [PRLIMIT, '--core=0', `--nofile=${limits.openFiles}`, `--nproc=${limits.processes}`],
    [`--data=${limits.memoryBytes}`, `--fsize=${limits.fileBytes}`, `--cpu=${room.cpuSeconds}`, '--'],
    argv,
  ];
  return groups.flat();
}

function workspaceMounts(
  workspace: string,
  { writable, hasRepository = true }: Pick<Room, 'writable' | 'hasRepository'>,
): readonly string[] {
  const folders = writable === 'all' ? [] : writable;
  const git = join(workspace, '.git');
  // What is mounted cannot be renamed or removed from inside, so .git is a mount of its own: it could be swapped otherwise.
  const bind = writable === 'all' ? '--bind' : '--ro-bind';
  return [
    [bind, workspace, INSIDE],
    ...folders.map((folder) => ['--bind', join(workspace, folder), join(INSIDE, folder)]),
    ...(hasRepository
      ? [
          [bind, git, `${INSIDE}/.git`],
          ...['hooks', 'config'].map((name) => ['--ro-bind', join(git, name), `${INSIDE}/.git/${name}`]),
        ]
      : []),
  ].flat();
}
