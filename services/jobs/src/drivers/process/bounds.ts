import type { GroupFolders, ProgramLimits } from '../../sandbox/cgroup.ts';
import { countOwnTasks } from './process-table.ts';
import { readPrograms } from '../read-programs.ts';

const BOUNDED = readPrograms('limit.sh', 'bounded.sh');

/** Computes the kernel's memory limit, far above what runtimes reserve. Between two measurements of a program only this limit holds. */
const dataLimitKb = (memoryMb: number): number => (memoryMb * 4 + 1_024) * 1_024;
/** Maximum of open files, as usual for a service; each connection needs one. */
const MAX_OPEN_FILES = 8_192;
/** Maximum file size, 4 GB in blocks of 512 bytes: a larger file would fill the shared disk. */
const MAX_FILE_BLOCKS = 4 * 1024 * 1024 * 2;
const SPARE_TASKS = 1_024;

/** Builds the arguments of limit.sh: DATA_KB FILES BLOCKS TASKS GROUPS. */
export function buildLimitArgs(
  { memoryMb, tasks }: Pick<ProgramLimits, 'memoryMb' | 'tasks'>,
  groups: GroupFolders,
): readonly string[] {
  return [
    String(dataLimitKb(memoryMb)),
    String(MAX_OPEN_FILES),
    String(MAX_FILE_BLOCKS),
    // Limits the processes of the user, which the kernel counts together. This stops a fork bomb at once.
    groups.length > 0 ? '' : String(countOwnTasks() + tasks + SPARE_TASKS),
    groups.join(':'),
  ];
}

/** Builds the arguments before a command that limit the resources of its processes. */
export function buildBoundedPrefix(limits: ProgramLimits, groups: GroupFolders): readonly string[] {
  return ['/bin/sh', '-c', BOUNDED, 'build', ...buildLimitArgs(limits, groups)];
}
