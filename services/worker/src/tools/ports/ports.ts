import type { createDeployments } from '@signalbox/store/deploy/deployments';
import type { createProjects } from '@signalbox/store/deploy/projects';
import type { createServers } from '@signalbox/store/deploy/servers';
import type { createServices } from '@signalbox/store/deploy/services';
import type { Demo } from './demo.ts';
import type { ErrorHistory } from './error-history.ts';
import type { GraphNodes } from './graph-nodes.ts';
import type { Knowledge } from './knowledge-rows.ts';
import type { Requests } from './requests.ts';
import type { createPortAllocations } from './port-allocation-rows.ts';

/** Everything outside the agent that a capability can reach; what is kept of projects and the like promises what the store promises. */
export interface Ports {
  /** The projects that people talk about. */
  readonly projects: ReturnType<typeof createProjects>;
  readonly demo: Demo;
  /** What runs where. */
  readonly services: Omit<ReturnType<typeof createServices>, 'variableMarks'>;
  readonly deployments: ReturnType<typeof createDeployments>;
  /** The servers that work can be placed on. */
  readonly servers: ReturnType<typeof createServers>;
  /** Which port of which server belongs to whom. */
  readonly portAllocations: ReturnType<typeof createPortAllocations>;
  readonly knowledge: Knowledge;
  readonly graphNodes: GraphNodes;
  readonly errorHistory: ErrorHistory;
  readonly requests: Requests;
}

export type PortName = keyof Ports;
