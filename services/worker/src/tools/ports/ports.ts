import type { createDeployments } from '@signalbox/store/deploy/deployments';
import type { createProjects } from '@signalbox/store/deploy/projects';
import type { createServers } from '@signalbox/store/deploy/servers';
import type { createServices } from '@signalbox/store/deploy/services';
import type { ErrorGroup } from '@signalbox/store/deploy/error-groups';
import type { createMemory } from '@signalbox/store/memory/facts';
import type { Incident } from '@signalbox/store/deploy/incidents';
import type { OwnRequest } from '@signalbox/store/governance/own-requests';
import type { createChainRuns } from '@signalbox/store/repository/chain-runs';
import type { createFindings } from '@signalbox/store/repository/findings';
import type { createSnapshots } from '@signalbox/store/repository/snapshots';
import type { createOverview } from '@signalbox/store/repository/overview';
import type { createRelationships } from '@signalbox/store/repository/relationships';
import type { createTags } from '@signalbox/store/repository/tags';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { GraphNodes } from './graph-nodes.ts';
import type { Knowledge } from './knowledge-rows.ts';
import type { createPortAllocations } from './port-allocation-rows.ts';

/** Everything outside the agent that a product capability can reach. The docstrings of the store apply to the ports over its rows. */
export interface CorePorts {
  readonly projects: ReturnType<typeof createProjects>;
  readonly demo: {
    /** The path of its repository on this machine; null when there is none. */
    repository(): Promise<string | null>;
  };
  readonly services: Omit<ReturnType<typeof createServices>, 'variableMarks'>;
  readonly deployments: ReturnType<typeof createDeployments>;
  readonly servers: ReturnType<typeof createServers>;
  readonly portAllocations: ReturnType<typeof createPortAllocations>;
  /** Findings of scans in the projects' repositories, and decisions about them. */
  readonly repositories: {
    readonly findings: ReturnType<typeof createFindings>;
    readonly runs: Pick<ReturnType<typeof createChainRuns>, 'list' | 'documents' | 'steps'>;
    readonly snapshots: ReturnType<typeof createSnapshots>;
    readonly overview: ReturnType<typeof createOverview>;
    readonly tags: ReturnType<typeof createTags>;
    readonly relationships: ReturnType<typeof createRelationships>;
  };
  readonly knowledge: Knowledge;
  readonly graphNodes: GraphNodes;
  readonly errorHistory: {
    /** Similar errors since a time, in groups, newest first. */
    groups(filter: Partial<ServiceKey> & { readonly since: Date }, limit: number): Promise<readonly ErrorGroup[]>;
    incidents(): Promise<readonly Incident[]>;
  };
  readonly memory: ReturnType<typeof createMemory>;
  readonly requests: {
    /** A person's newest requests other than reads; requests of this conversation come first. */
    own(of: { readonly userKey: string; readonly threadId: string }, limit: number): Promise<readonly OwnRequest[]>;
    /** The title of an action on its approval card and receipt, in the reader's language. */
    titleOf(action: Pick<OwnRequest, 'tool' | 'arguments'>): string;
  };
}

/** A plug-in merges its own ports into this interface: see docs/extending/plugins.md. */
export interface Ports extends CorePorts {}

export type PortName = keyof Ports;
