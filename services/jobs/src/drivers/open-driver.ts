import type { Connection, DriverName } from '@signalbox/shared/contracts/deploy';
import type { Driver } from './driver.ts';
import { createProcessDriver } from './process/process-driver.ts';

/** A server as its row says it is reached. */
export interface DriverServer {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName;
  readonly connection: Connection;
  /** The fingerprint of its host key that somebody has approved, `SHA256:…`. */
  readonly hostKey: string | null;
}

export interface DriverParts {
  /** Folder of what runs as processes of this machine. */
  readonly targetsDir: string;
  /** Where programs are looked for on this machine. */
  readonly path: string;
  /** Times in a row that a program is started again after a crash; 3 when left out. */
  readonly restarts?: number;
}

/** The driver of a server. */
export async function openDriver(server: DriverServer, parts: DriverParts): Promise<Driver> {
  const { targetsDir, path, restarts = 3 } = parts;
  return createProcessDriver({ server: server.name, targetsDir, path, restarts });
}
