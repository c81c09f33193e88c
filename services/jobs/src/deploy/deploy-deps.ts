import type { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import type { PortLeases } from './port-leases.ts';
import type { DeploymentStore } from './deployment-work.ts';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import type { createServiceStore } from '@signalbox/store/deploy/services';
import type { Driver } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import type { TrafficSwitch } from '../traffic/traffic.ts';
import type { SourceStore } from '../git/sources.ts';

export interface DeployLimits {
  readonly preparingMs: number;
  readonly buildingMs: number;
  readonly startingMs: number;
  readonly switchingMs: number;
  readonly verifyingMs: number;
  /** Time limit for switching traffic back and stopping instances. */
  readonly undoingMs: number;
  /** Time without output and CPU use after which a build is stopped. */
  readonly stallMs: number;
  /** Time for which a silent server is retried before the run ends as `unknown`. */
  readonly unknownMs: number;
  /** Time limit for all steps before the switch together. */
  readonly wholeMs: number;
}

export interface DeployDeps {
  readonly work: DeploymentStore;
  readonly deployments: ReturnType<typeof createDeploymentStore>;
  readonly services: ReturnType<typeof createServiceStore>;
  readonly leases: PortLeases;
  readonly sources: SourceStore;
  readonly traffic: TrafficSwitch;
  readonly confinement: Confinement;
  /** Opens the login of a server on behalf of its owner, for one run. */
  readonly openDriver: (target: ServerAccess, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
  /** The proxy listens on `listenHost`; this process reaches the proxy on `reachHost`, people on `publicHost`. */
  readonly listenHost: string;
  readonly reachHost: string;
  readonly publicHost: string;
  readonly limits: DeployLimits;
}

/** Number of artifacts per service that are kept for rollbacks. */
export const MAX_KEPT_ARTIFACTS = 5;
