import { MIB } from '@signalbox/contracts/size';
import { join } from 'node:path';
import type { CommandLimits } from './limits.ts';
import { listSystemMounts } from './system-mounts.ts';

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

/** Paths and limits of one command. Callers have checked that no path is a link. */
export interface SandboxSpec {
  /** Path of the workspace; null when the command needs no workspace. */
  readonly workspace: string | null;
  /** True (the default) to protect hooks and configuration of a git repository. */
  readonly hasRepository?: boolean;
  /** Writable folders relative to the workspace; `all` for the whole workspace. */
  readonly writable: 'all' | readonly string[];
  readonly cwd: string;
  /** Mounts of programs from outside the system's folders, with the folder of the programs for the PATH. */
  readonly programs?: { readonly mounts: readonly string[]; readonly folder: string };
  /** Further variables, and a folder of the host that is mounted at its own path. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly door?: string;
  readonly limits: CommandLimits;
  readonly cpuSeconds: number;
}

const PRLIMIT = '/usr/bin/prlimit';
/** Node reserves half a gigabyte for the code of each thread, which counts as data although it is hardly used. */
const RESERVED_BYTES = 1024 * MIB;

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/home/agent',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
};

/**
 * Builds bubblewrap's arguments for one command: no network, a read-only system, and only the writable folders, without a repository's
 * hooks and configuration. Bubblewrap reads the system call filter from FILTER_FD, and starts the command after a byte on BLOCK_FD.
 */
export function createBubblewrapArguments(room: SandboxSpec, argv: readonly string[]): readonly string[] {
  const { limits } = room;
  const size = ['--size', String(limits.scratchBytes)];
  const { programs, variables = {}, door } = room;
  const environment = {
    ...ENVIRONMENT,
    ...(programs ? { PATH: `${programs.folder}:${ENVIRONMENT.PATH}` } : {}),
    ...variables,
  };
  const groups: readonly (readonly string[])[] = [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--cap-drop', 'ALL', '--uid', '1000', '--gid', '1000', '--hostname', 'sandbox', '--clearenv'],
    Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    listSystemMounts(),
    ['--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', '/dev/shm'],
    [...size, '--tmpfs', '/tmp', ...size, '--tmpfs', '/home/agent'],
    programs?.mounts ?? [],
    room.workspace === null ? [] : workspaceMounts(room.workspace, room),
    door === undefined ? [] : ['--ro-bind', door, door],
    // Root owns /proc/sys: through core_pattern a command could start programs outside the sandbox.
    ['--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/'],
    ['--chdir', room.workspace === null ? '/tmp' : join(INSIDE, room.cwd)],
    ['--info-fd', String(INFO_FD), '--block-fd', String(BLOCK_FD), '--seccomp', String(FILTER_FD), '--'],
    // These limits are set inside the sandbox, where processes count for the sandbox's user and not for this service's.
    [PRLIMIT, '--core=0', `--nofile=${limits.openFiles}`, `--nproc=${limits.processes}`],
    [`--data=${limits.memoryBytes + RESERVED_BYTES}`, `--fsize=${limits.fileBytes}`, `--cpu=${room.cpuSeconds}`, '--'],
    argv,
  ];
  return groups.flat();
}

function workspaceMounts(
  workspace: string,
  { writable, hasRepository = true }: Pick<SandboxSpec, 'writable' | 'hasRepository'>,
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
