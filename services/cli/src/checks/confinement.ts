import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import type { CommandContext } from '../command.ts';
import { ok, warn, type Finding } from './finding.ts';

const REMEDY =
  'Install bubblewrap (apt-get install bubblewrap) and let this user make namespaces, or deploy to a server with an engine. Until then deployments to this machine are refused; see docs/drivers.md.';
const OFF =
  'Take PROCESS_CONFINEMENT=off away, unless this is your own machine and you trust all that is deployed to it.';

/** Checks whether deployed programs can be confined on this machine, by starting one as the job service does. At most a warning. */
export async function checkConfinement({ config }: CommandContext): Promise<readonly Finding[]> {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path, PROCESS_CONFINEMENT } = config;
  if (PROCESS_CONFINEMENT === 'off')
    return [warn('confinement', 'it is off: programs deployed to this machine may read the keys of Signalbox', OFF)];
  const { kind, problem } = await openConfinement({ program: findBubblewrap({ file, libraryPath, path }) });
  if (problem !== null) return [warn('confinement', `programs cannot be confined: ${problem}`, REMEDY)];
  const how = kind === 'user' ? 'as users of their own in a sandbox' : 'in a sandbox';
  return [ok('confinement', `programs deployed to this machine run ${how}`)];
}
