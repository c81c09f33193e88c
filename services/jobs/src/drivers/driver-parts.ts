import type { DriverName } from '@signalbox/contracts/operations/drivers';
import type { Connection } from '@signalbox/contracts/operations/deploy';
import type { Confinement } from '../sandbox/confinement.ts';

// Apart from open-driver.ts, which imports every driver: a driver imports these.

export interface DriverServer {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName | null;
  readonly connection: Connection;
  /** The fingerprint of its host key that a person has approved, `SHA256:…`. */
  readonly hostKey: string | null;
}

export interface DriverParts {
  readonly targetsDir: string;
  readonly path: string;
  /** Base image for repositories without a Dockerfile. */
  readonly baseImage: string;
  /** Opens a secret of the person named by Connection. */
  readonly openSecret: (secret: { handle: string; owner: string }, purpose: string) => Promise<string>;
  /** Consecutive restarts after a crash; default RESTARTS. */
  readonly restarts?: number;
  readonly confinement: Confinement;
}
