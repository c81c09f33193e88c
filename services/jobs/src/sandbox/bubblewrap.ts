import { join } from 'node:path';
import type { Limits } from './limits.ts';
import { listSystemMounts } from './system-mounts.ts';

/** The workspace's path in the sandbox. */
const INSIDE = '/workspace';

/** Bubblewrap's file descriptors, in the order of the pipes in stage.ts. */
const INFO_FD = 3;
const BLOCK_FD = 4;
const FILTER_FD = 5;

/** The bubblewrap program, and its libraries when they are not installed. */
export interface BubblewrapProgram {
  readonly file: string;
  readonly libraryPath: string | null;
}

/** The paths that a command may access. Callers have checked that none is a link. */
export interface Room {
  /** null: the command needs no workspace. */
  readonly workspace: string | null;
  /** True (the default) when hooks and configuration of a repository must be protected. */
  readonly hasRepository?: boolean;
  /** Writable folders relative to the workspace; `all`: the whole workspace. */
  readonly writable: 'all' | readonly string[];
  readonly cwd: string;
  readonly limits: Limits;
  readonly cpuSeconds: number;
}

/** Sets kernel limits for the command; part of util-linux. */
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
export function createBubblewrapArguments(room: Room, argv: readonly string[]): readonly string[] {
  const { limits } = room;
  const size = ['--size', String(limits.scratchBytes)];
  const groups: readonly (readonly string[])[] = [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--cap-drop', 'ALL', '--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--clearenv'],
    Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
    listSystemMounts(),
    ['--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', '/dev/shm'],
    [...size, '--tmpfs', '/tmp', ...size, '--tmpfs', '/home/agent'],
    room.workspace === null ? [] : workspaceMounts(room.workspace, room),
    // A root service owns /proc/sys for the kernel too: through core_pattern a command could start programs outside.
    ['--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/'],
    ['--chdir', room.workspace === null ? '/tmp' : join(INSIDE, room.cwd)],
    ['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD), '--seccomp', String(FILTER_FD), '--'],
    // Set inside, where processes count for the sandbox's user and not for this service's.
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
  // A mount cannot be renamed or removed from inside, so .git is a mount of its own.
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
