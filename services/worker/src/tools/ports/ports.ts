import type { Demo } from './demo.ts';
import type { ErrorHistory } from './error-history.ts';
import type { GraphNodes } from './graph-nodes.ts';
import type { Deployments } from './deployments.ts';
import type { Knowledge } from './knowledge.ts';
import type { PortAllocations } from './port-allocations.ts';
import type { Projects } from './projects.ts';
import type { Servers } from './servers.ts';
import type { Services } from './services.ts';

/** Everything outside the agent that a capability can reach. Wired in main over shared/db. */
export interface Ports {
  readonly projects: Projects;
  readonly demo: Demo;
  readonly services: Services;
  readonly deployments: Deployments;
  readonly servers: Servers;
  readonly portAllocations: PortAllocations;
  readonly knowledge: Knowledge;
  readonly graphNodes: GraphNodes;
  readonly errorHistory: ErrorHistory;
}

export type PortName = keyof Ports;
