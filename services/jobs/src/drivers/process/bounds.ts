import type { GroupFolders, ProgramLimits } from '../../sandbox/cgroup.ts';
import { countOwnTasks } from './process-table.ts';
import { readPrograms } from '../programs.ts';

const BOUNDED = readPrograms('limit.sh', 'bounded.sh');

/** Against what takes all memory between two looks of the keeper; far above what a runtime reserves without using it. */
const dataLimitKb = (memoryMb: number): number => (memoryMb * 4 + 1_024) * 1_024;
/** As the limit that most systems give a service; each connection takes one. */
const OPEN_FILES = 8_192;
/** 4 GB, in units of 512 bytes: a file that grows beyond it fills the disk of everybody. */
const FILE_BLOCKS = 4 * 1024 * 1024 * 2;
const SPARE_TASKS = 1_024;

/** The limits as words for the shim: DATA_KB FILES BLOCKS TASKS GROUPS. */
export function limitWords(
  { memoryMb, tasks }: Pick<ProgramLimits, 'memoryMb' | 'tasks'>,
  groups: GroupFolders,
): readonly string[] {
  return [
    String(dataLimitKb(memoryMb)),
    String(OPEN_FILES),
    String(FILE_BLOCKS),
    // Of all that the user runs: only against one that takes all before the keeper has looked.
    groups.length > 0 ? '' : String(countOwnTasks() + tasks + SPARE_TASKS),
    groups.join(':'),
  ];
}

/** What comes before the words of a command, so that it and all that it starts have these limits. */
export function boundedWords(limits: ProgramLimits, groups: GroupFolders): readonly string[] {
  return ['/bin/sh', '-c', BOUNDED, 'build', ...limitWords(limits, groups)];
}
