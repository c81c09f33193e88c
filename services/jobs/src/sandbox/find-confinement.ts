import type { Log } from '@signalbox/platform/log';
import type { JobsConfig } from '../config.ts';
import type { BubblewrapProgram } from './bubblewrap.ts';
import { openConfinement, type Confinement } from './confinement.ts';
import { findBubblewrap } from './program.ts';

type SandboxSettings = Pick<JobsConfig, 'BWRAP_PATH' | 'BWRAP_LIBRARY_PATH' | 'PATH' | 'PROCESS_CONFINEMENT'>;

/** The program bubblewrap, where it is set or found; null without one. */
export function bubblewrapOf(config: SandboxSettings): BubblewrapProgram | null {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path } = config;
  return findBubblewrap({ file, libraryPath, path });
}

/** What git and scans are locked in with; null where bubblewrap is not there, does not work here, or is switched off. */
export function cellProgram(config: SandboxSettings, { kind }: Confinement): BubblewrapProgram | null {
  return kind === 'user' || kind === 'sandbox' ? bubblewrapOf(config) : null;
}

/** How programs on this machine are confined. Says so in the log, and aloud where they are not. */
export async function findConfinement(config: SandboxSettings, log: Log): Promise<Confinement> {
  const isOff = config.PROCESS_CONFINEMENT === 'off';
  const confinement = await openConfinement({ program: bubblewrapOf(config), isOff });
  const { kind, problem } = confinement;
  if (kind === 'off')
    log.warn(
      'PROCESS_CONFINEMENT=off: what is built or deployed on this machine may read and end all that the job service may',
    );
  else if (problem === null) log.info('builds and programs on this machine are confined', { by: kind });
  else log.warn('nothing can be built or started on this machine: it cannot be confined', { problem });
  return confinement;
}
