import { join } from 'node:path';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import type { DriverParts, DriverServer } from '@signalbox/jobs/drivers/open-driver';
import { createProcessDriver } from '@signalbox/jobs/drivers/process/process-driver';

/** Runs programs of this machine in a folder of their own, which may be another disk. */
export function createSpareDriver({ name }: DriverServer, parts: DriverParts): Driver {
  const { targetsDir, path, restarts = 3, confinement } = parts;
  return createProcessDriver({ server: name, targetsDir: join(targetsDir, 'spare'), path, restarts, confinement });
}
