import type { Connection } from '@signalbox/contracts/operations/deploy';
import type { DriverName } from '@signalbox/contracts/operations/drivers';
import type { Confinement } from '../sandbox/confinement.ts';

/** A server as its row says it is reached. */
export interface DriverServer {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName | null;
  readonly connection: Connection;
  /** The fingerprint of its host key that a person has approved, `SHA256:…`. */
  readonly hostKey: string | null;
}

export interface DriverParts {
  /** Folder of what runs as processes of this machine. */
  readonly targetsDir: string;
  /** Where programs are looked for on this machine. */
  readonly path: string;
  /** What images are built on for repositories without a Dockerfile. */
  readonly baseImage: string;
  /** The value of a secret of a person; see Connection for whose. */
  readonly openSecret: (secret: { handle: string; owner: string }, purpose: string) => Promise<string>;
  /** Times in a row that a program is started again after a crash; RESTARTS when left out. */
  readonly restarts?: number;
  /** What keeps builds and programs on this machine from the rest of it. */
  readonly confinement: Confinement;
}
