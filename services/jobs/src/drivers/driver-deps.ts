import type { DriverName } from '@signalbox/contracts/operations/drivers';
import type { ServerConnection } from '@signalbox/contracts/operations/deploy';
import type { Confinement } from '../sandbox/confinement.ts';

// These types have a file of their own, because the drivers import them and open-driver.ts imports every driver.

export interface TargetServer {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName | null;
  readonly connection: ServerConnection;
  /** Fingerprint of the server's host key that a person approved: `SHA256:…`. Null without an approval. */
  readonly hostKey: string | null;
}

export interface DriverDeps {
  readonly targetsDir: string;
  readonly path: string;
  readonly baseImage: string;
  /** Opens a secret on behalf of its owner, for an audited purpose. */
  readonly openSecret: (secret: { handle: string; owner: string }, purpose: string) => Promise<string>;
  /** Maximum of consecutive restarts after a crash; MAX_RESTARTS by default. */
  readonly restarts?: number;
  readonly confinement: Confinement;
}
