import type { createDeployments } from '@signalbox/store/deploy/deployments';
import type { PortLeases } from './deployments-ports.ts';
import type { DeploymentWork } from './deployments-work.ts';
import type { PlacedTarget } from '@signalbox/store/deploy/deployments-placement';
import type { createServices } from '@signalbox/store/deploy/services';
import type { Driver } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { Sources } from '../git/sources.ts';

export interface DeployLimits {
  readonly preparingMs: number;
  readonly buildingMs: number;
  readonly startingMs: number;
  readonly switchingMs: number;
  readonly verifyingMs: number;
  /** Undoing: switching back and stopping instances. */
  readonly undoingMs: number;
  /** A build without output and CPU use for this long is stopped. */
  readonly stallMs: number;
  /** How long a silent server is retried before the run ends with `unknown`. */
  readonly unknownMs: number;
  /** All steps before the switch together. */
  readonly wholeMs: number;
}

export interface DeployParts {
  readonly work: DeploymentWork;
  readonly deployments: ReturnType<typeof createDeployments>;
  readonly services: ReturnType<typeof createServices>;
  readonly leases: PortLeases;
  readonly sources: Sources;
  readonly traffic: Traffic;
  readonly confinement: Confinement;
  /** Opens the login of a server in the name of its owner, for one run. */
  readonly openDriver: (target: PlacedTarget, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
  /** The hosts on which the proxy listens, is reached from here, and is shown to people. */
  readonly listenHost: string;
  readonly reachHost: string;
  readonly publicHost: string;
  readonly limits: DeployLimits;
}

/** Artifacts per service that are kept for rollbacks. */
export const KEPT_ARTIFACTS = 5;
