import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { openSandbox } from '@signalbox/jobs/sandbox/sandbox';
import type { CommandContext } from '../command.ts';
import { ok, warn, type Finding } from './finding.ts';

const INSTALL =
  'Install it (apt-get install bubblewrap), or name it in BWRAP_PATH, and start the job service again. Until then commands are refused; files work.';
const ALLOW =
  'Let this user make namespaces (sysctl kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0); a container needs the security_opt of `agents` in docker-compose.yml. Until then commands are refused; files work.';
const MACHINE = 'Run the job service of the pool agents on x64 or arm64. Until then commands are refused; files work.';

/**
 * Checks that bubblewrap is installed and works, by running `true` in it as the job service does. At most a warning: everything but
 * commands works without it, and commands may run on another machine.
 */
export async function checkSandbox({ config }: CommandContext): Promise<readonly Finding[]> {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path } = config;
  const program = findBubblewrap({ file, libraryPath, path });
  const { problem, bounds } = await openSandbox({ program });
  if (program === null) return [warn('sandbox', 'there is no bubblewrap on the PATH', INSTALL)];
  if (problem === null)
    return [ok('sandbox', `${program.file} works; memory is bounded by ${bounds}, system calls are filtered`)];
  if (problem.startsWith('no filter')) return [warn('sandbox', problem, MACHINE)];
  return [warn('sandbox', problem, problem.includes('ENOENT') ? INSTALL : ALLOW)];
}
