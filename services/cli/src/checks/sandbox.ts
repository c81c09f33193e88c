import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { openSandbox } from '@signalbox/jobs/sandbox/sandbox';
import type { CommandContext } from '../command.ts';
import { createOk, createWarning, type CheckResult } from './finding.ts';

const INSTALL =
  'Install it (apt-get install bubblewrap), or name it in BWRAP_PATH, and start the job service again. Until then commands are refused; files work.';
const ALLOW =
  'Let this user make namespaces (sysctl kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0); a container needs the security_opt of `agents` in docker-compose.yml. Until then commands are refused; files work.';
const MACHINE = 'Run the job service of the pool agents on x64 or arm64. Until then commands are refused; files work.';
const UNCONFINED =
  'Install bubblewrap (apt-get install bubblewrap) and let this user make namespaces, or deploy to a server with an engine. Until then deployments to this machine are refused; see docs/drivers.md.';
const CONFINEMENT_OFF =
  'Take PROCESS_CONFINEMENT=off away, unless this is your own machine and you trust all that is deployed to it.';

/** Checks that bubblewrap works, by running `true` in it. At most a warning: only commands need it, and may run elsewhere. */
export async function checkSandbox({ config }: CommandContext): Promise<readonly CheckResult[]> {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path } = config;
  const program = findBubblewrap({ file, libraryPath, path });
  const { problem, bounds } = await openSandbox({ program });
  if (program === null) return [createWarning('sandbox', 'there is no bubblewrap on the PATH', INSTALL)];
  if (problem === null)
    return [createOk('sandbox', `${program.file} works; memory is bounded by ${bounds}, system calls are filtered`)];
  if (problem.startsWith('no filter')) return [createWarning('sandbox', problem, MACHINE)];
  return [createWarning('sandbox', problem, problem.includes('ENOENT') ? INSTALL : ALLOW)];
}

/** Checks whether deployed programs can be confined on this machine, by starting one. At most a warning. */
export async function checkConfinement({ config }: CommandContext): Promise<readonly CheckResult[]> {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path, PROCESS_CONFINEMENT } = config;
  if (PROCESS_CONFINEMENT === 'off')
    return [
      createWarning(
        'confinement',
        'it is off: programs deployed to this machine may read the keys of Signalbox',
        CONFINEMENT_OFF,
      ),
    ];
  const { kind, problem } = await openConfinement({ program: findBubblewrap({ file, libraryPath, path }) });
  if (problem !== null) return [createWarning('confinement', `programs cannot be confined: ${problem}`, UNCONFINED)];
  const how = kind === 'user' ? 'as users of their own in a sandbox' : 'in a sandbox';
  return [createOk('confinement', `programs deployed to this machine run ${how}`)];
}
