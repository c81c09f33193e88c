import type { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import type { Change, ChangeFilter } from '@signalbox/store/deploy/changes';
import type { createProjectStore } from '@signalbox/store/deploy/projects';
import type { createReleaseReader } from '@signalbox/store/deploy/releases';
import type { createServerStore } from '@signalbox/store/deploy/servers';
import type { createServiceStore } from '@signalbox/store/deploy/services';
import type { ErrorGroup } from '@signalbox/store/deploy/error-groups';
import type { ChangeStore } from '@signalbox/store/engineering/changes';
import type { createMemoryStore } from '@signalbox/store/memory/facts';
import type { createScheduleStore } from '@signalbox/store/schedules/schedules';
import type { Incident } from '@signalbox/store/deploy/incidents';
import type { RotaSummary } from '@signalbox/messages/schedule/say-rota';
import type { IncidentFilter, ToldIncident } from '@signalbox/store/incidents/list-incidents';
import type { Freeze } from '@signalbox/store/governance/freezes';
import type { findPlan, listPlans, Plan } from '@signalbox/store/governance/plans';
import type { OwnRequest } from '@signalbox/store/governance/own-requests';
import type { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import type { createFindingStore } from '@signalbox/store/repository/findings';
import type { createSnapshotStore } from '@signalbox/store/repository/snapshots';
import type { createOverviewReader } from '@signalbox/store/repository/overview';
import type { createRelationshipStore } from '@signalbox/store/repository/relationships';
import type { createTagStore } from '@signalbox/store/repository/tags';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { SplitTitle } from '@signalbox/contracts/governance/outside';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { AgentGraphs } from './graph-nodes.ts';
import type { KnowledgeSearch } from '../search/knowledge-search.ts';
import type { createPortAllocations } from './port-allocation-rows.ts';
import type { RequestPort } from './request-rows.ts';

/** The action that sets or lifts a freeze. */
interface FreezeAsked {
  readonly by: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly threadId: string;
  readonly actionId: string;
}

/** `isNew`: the action set or lifted it. The freeze is null when there was none to lift. */
export interface ToldFreeze {
  readonly isNew: boolean;
  readonly freeze: Freeze | null;
}

/** Everything outside the agent that a product capability can reach. The docstrings of the store apply to the ports over its rows. */
export interface CorePorts {
  readonly projects: ReturnType<typeof createProjectStore>;
  readonly demo: {
    /** The path of the product's own repository on this machine; null when there is none. */
    repository(): Promise<string | null>;
  };
  readonly services: Omit<ReturnType<typeof createServiceStore>, 'variableMarks'>;
  readonly deployments: ReturnType<typeof createDeploymentStore>;
  readonly releases: ReturnType<typeof createReleaseReader>;
  readonly servers: ReturnType<typeof createServerStore>;
  readonly portAllocations: ReturnType<typeof createPortAllocations>;
  /** Findings of scans in the projects' repositories, and decisions about them. */
  readonly repositories: {
    readonly findings: ReturnType<typeof createFindingStore>;
    readonly runs: Pick<ReturnType<typeof createChainRunStore>, 'list' | 'documents' | 'steps'>;
    readonly snapshots: ReturnType<typeof createSnapshotStore>;
    readonly overview: ReturnType<typeof createOverviewReader>;
    readonly tags: ReturnType<typeof createTagStore>;
    readonly relationships: ReturnType<typeof createRelationshipStore>;
  };
  /** Changes of code and their steps; the job service works on them. */
  readonly engineering: Pick<
    ChangeStore,
    'begin' | 'find' | 'findAsking' | 'findByRun' | 'get' | 'list' | 'steps' | 'answer' | 'words'
  >;
  readonly knowledge: KnowledgeSearch;
  readonly graphNodes: AgentGraphs;
  readonly errorHistory: {
    /** Similar errors since a time, in groups, newest first. */
    groups(filter: Partial<ServiceKey> & { readonly since: Date }, limit: number): Promise<readonly ErrorGroup[]>;
    incidents(): Promise<readonly Incident[]>;
    /** Lists incidents as people ask about them, with the number of all. */
    told(
      filter: IncidentFilter,
      limit: number,
    ): Promise<{ readonly incidents: readonly ToldIncident[]; readonly total: number }>;
  };
  readonly changes: {
    /** Lists what everybody changed since a time, newest first, with the number of all changes. */
    list(filter: ChangeFilter, limit: number): Promise<{ readonly changes: readonly Change[]; readonly total: number }>;
  };
  readonly onCall: {
    /** Who is on call in each rota, or in the one of a project; empty without one. */
    list(project?: string): Promise<readonly RotaSummary[]>;
  };
  /** Sets and lifts freezes as the effect of an action, by the code of the commands. Twice is safe. */
  readonly freezes: {
    /** Reads when a freeze ends; null for words that leave it open. */
    readEnd(until: string, threadId: string): Promise<{ readonly until: string; readonly zone: string } | null>;
    set(asked: FreezeAsked, freeze: Pick<Freeze, 'reason' | 'at' | 'until' | 'zone'>): Promise<ToldFreeze>;
    lift(asked: FreezeAsked): Promise<ToldFreeze>;
  };
  readonly memory: ReturnType<typeof createMemoryStore>;
  readonly schedules: ReturnType<typeof createScheduleStore>;
  readonly plans: {
    find(planId: string): ReturnType<typeof findPlan>;
    /** A person's newest plans; those that run come first. */
    own(userKey: string, limit: number): ReturnType<typeof listPlans>;
    /** Says how far a plan is, with a line for each step. */
    describe(plan: Plan): string;
  };
  readonly requests: RequestPort & {
    /** Withdraws a pending request of this person, as the effect of an action. False when it no longer waited. Twice is safe. */
    withdraw(asked: {
      readonly approvalId: string;
      readonly by: { readonly userKey: string; readonly name: string; readonly role: Role };
      readonly actionId: string;
    }): Promise<boolean>;
    /** The title of an action on its approval card and receipt, in the reader's language. */
    titleOf(action: Pick<OwnRequest, 'tool' | 'arguments'>): string;
    /** Splits a title for a model; the title is that of `titleOf` when left out. */
    splitTitle(
      action: Pick<OwnRequest, 'tool' | 'arguments'> & { readonly resolved?: unknown },
      title?: string,
    ): SplitTitle;
  };
}

/** A plug-in merges its own ports into this interface: see docs/extending/plugins.md. */
export interface Ports extends CorePorts {}

export type PortName = keyof Ports;
