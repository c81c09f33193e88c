import type { GroupFolders, ProgramLimits } from '../../sandbox/cgroup.ts';
import { countOwnTasks } from './process-table.ts';
import { readPrograms } from '../programs.ts';

const BOUNDED = readPrograms('limit.sh', 'bounded.sh');

/** Bounds memory between two checks of the keeper; far above what runtimes reserve without use. */
const dataLimitKb = (memoryMb: number): number => (memoryMb * 4 + 1_024) * 1_024;
/** The usual limit of a service; each connection takes one. */
const OPEN_FILES = 8_192;
/** 4 GB in units of 512 bytes: a larger file would fill the shared disk. */
const FILE_BLOCKS = 4 * 1024 * 1024 * 2;
const SPARE_TASKS = 1_024;

/** Arguments of the shim: DATA_KB FILES BLOCKS TASKS GROUPS. */
export function buildLimitArgs(
  { memoryMb, tasks }: Pick<ProgramLimits, 'memoryMb' | 'tasks'>,
  groups: GroupFolders,
): readonly string[] {
  return [
    String(dataLimitKb(memoryMb)),
    String(OPEN_FILES),
    String(FILE_BLOCKS),
    // Counts all processes of the user, to stop a program that starts many before the keeper's first check.
    groups.length > 0 ? '' : String(countOwnTasks() + tasks + SPARE_TASKS),
    groups.join(':'),
  ];
}

/** Words before a command that limit it and its children. */
export function createBoundedWords(limits: ProgramLimits, groups: GroupFolders): readonly string[] {
  return ['/bin/sh', '-c', BOUNDED, 'build', ...buildLimitArgs(limits, groups)];
}
