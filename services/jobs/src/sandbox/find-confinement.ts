import type { Log } from '@signalbox/platform/log';
import type { JobsConfig } from '../config.ts';
import type { BubblewrapProgram } from './bubblewrap.ts';
import { openConfinement, type Confinement } from './confinement.ts';
import { findBubblewrap } from './program.ts';

type SandboxSettings = Pick<JobsConfig, 'BWRAP_PATH' | 'BWRAP_LIBRARY_PATH' | 'PATH' | 'PROCESS_CONFINEMENT'>;

/** Finds the configured or installed bubblewrap; null when none is found. */
export function findConfiguredBubblewrap(config: SandboxSettings): BubblewrapProgram | null {
  const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path } = config;
  return findBubblewrap({ file, libraryPath, path });
}

/** Finds the bubblewrap that confines git and scans; null when it is missing, broken or switched off. */
export function findRepositoryBubblewrap(config: SandboxSettings, { kind }: Confinement): BubblewrapProgram | null {
  return kind === 'user' || kind === 'sandbox' ? findConfiguredBubblewrap(config) : null;
}

/** Finds the confinement of programs on this machine and logs it, with a warning when there is no confinement. */
export async function findConfinement(config: SandboxSettings, log: Log): Promise<Confinement> {
  const isOff = config.PROCESS_CONFINEMENT === 'off';
  const confinement = await openConfinement({ program: findConfiguredBubblewrap(config), isOff });
  const { kind, problem } = confinement;
  if (kind === 'off')
    log.warn(
      'PROCESS_CONFINEMENT=off: what is built or deployed on this machine may read and end all that the job service may',
    );
  else if (problem === null) log.info('builds and programs on this machine are confined', { by: kind });
  else log.warn('nothing can be built or started on this machine: it cannot be confined', { problem });
  return confinement;
}
