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

/** How long the steps of a deployment may take, in milliseconds. */
export interface DeployLimits {
  readonly preparingMs: number;
  readonly buildingMs: number;
  readonly startingMs: number;
  readonly switchingMs: number;
  readonly verifyingMs: number;
  /** Taking back, and ending what was begun. */
  readonly undoingMs: number;
  /** A build that writes no line and uses no processor for so long is ended. */
  readonly stallMs: number;
  /** So long a server that does not answer is tried again before the run ends with `unknown`. */
  readonly unknownMs: number;
  /** All steps up to the switch together. */
  readonly wholeMs: number;
}

/** What deployments are made with; opened once per process. */
export interface DeployParts {
  readonly work: DeploymentWork;
  readonly deployments: ReturnType<typeof createDeployments>;
  readonly services: ReturnType<typeof createServices>;
  readonly leases: PortLeases;
  readonly sources: Sources;
  readonly traffic: Traffic;
  /** What keeps builds and programs on this machine from the rest of it. */
  readonly confinement: Confinement;
  /** Its login is opened in the name of its owner, by the run that needs it. */
  readonly openDriver: (target: PlacedTarget, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
  /** Where the proxy listens, where it is reached from here, and which address people read. */
  readonly listenHost: string;
  readonly reachHost: string;
  readonly publicHost: string;
  readonly limits: DeployLimits;
}

/** So many artifacts of a service are kept to roll back to. */
export const KEPT_ARTIFACTS = 5;
