import type { Demo } from './demo.ts';
import type { Knowledge } from './knowledge.ts';
import type { PortAllocations } from './port-allocations.ts';
import type { Projects } from './projects.ts';
import type { Servers } from './servers.ts';

/** Everything outside the agent that a capability can reach. Wired in main over shared/db. */
export interface Ports {
  readonly projects: Projects;
  readonly demo: Demo;
  readonly servers: Servers;
  readonly portAllocations: PortAllocations;
  readonly knowledge: Knowledge;
}

export type PortName = keyof Ports;
