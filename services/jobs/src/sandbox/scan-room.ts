import { join } from 'node:path';
import type { ScanSandbox } from '@signalbox/analysis/scan/scan-process';
import type { BubblewrapProgram } from './bubblewrap.ts';
import { listNodeMounts, REPOSITORY_ROOT } from './program-room.ts';
import { compileFilter } from './system-call-filter.ts';
import { listSystemMounts } from './system-mounts.ts';

const FILTER_FD = 3;
/** Folders with code that a scan needs. Data and keys of the product are in other folders. */
const CODE = ['node_modules', 'shared', 'package.json'];

/** Opens a read-only sandbox without network for scans, with the system, the scan's code and the mirror. Null without bubblewrap. */
export function openScanSandbox(program: BubblewrapProgram | null): ScanSandbox | null {
  const filter = compileFilter(process.arch);
  if (program === null || filter === null) return null;
  const code = CODE.map((name) => join(REPOSITORY_ROOT, name)).flatMap((path) => ['--ro-bind', path, path]);
  return {
    filter,
    libraryPath: program.libraryPath,
    words: (mirror) =>
      [
        [program.file, '--unshare-all', '--new-session', '--die-with-parent', '--cap-drop', 'ALL'],
        process.getuid?.() === 0 ? [] : ['--unshare-user', '--disable-userns'],
        listSystemMounts(),
        ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
        listNodeMounts(),
        code,
        ['--ro-bind', mirror, mirror, '--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/'],
        ['--chdir', '/', '--unsetenv', 'LD_LIBRARY_PATH', '--seccomp', String(FILTER_FD), '--'],
      ].flat(),
  };
}
