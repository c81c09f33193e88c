import { createHash } from 'node:crypto';
import { JOBS, type JobResult } from '@signalbox/contracts/operations/jobs';
import { ReadinessPayload } from '@signalbox/contracts/operations/operations';
import { openPool, type Pool } from '@signalbox/store/pool';
import type { Artifact } from '@signalbox/store/artifacts';
import { createCards } from '@signalbox/example-bank/store/cards';
import { listChanges } from '@signalbox/store/deploy/changes';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { listErrorGroups } from '@signalbox/store/deploy/error-groups';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { listIncidents } from '@signalbox/store/incidents/list-incidents';
import { listRotaStates, summarizeRota } from '@signalbox/store/oncall/rota-states';
import { createMemoryStore } from '@signalbox/store/memory/facts';
import { createScheduleStore } from '@signalbox/store/schedules/schedules';
import { withdrawRequest } from '@signalbox/governance/withdrawal';
import { createFreezeEffects } from '@signalbox/governance/freezes/freeze-effects';
import { createRequestPort } from '@signalbox/worker/tools/ports/request-rows';
import { sayProgress } from '@signalbox/governance/plans/say-plan';
import { splitTitle } from '@signalbox/governance/split-title';
import { findPlan, listPlans } from '@signalbox/store/governance/plans';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import { createPortAllocations } from '@signalbox/worker/tools/ports/port-allocation-rows';
import { createMortgages } from '@signalbox/example-bank/store/mortgages';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createReleaseReader } from '@signalbox/store/deploy/releases';
import { createServerStore } from '@signalbox/store/deploy/servers';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { createOverviewReader } from '@signalbox/store/repository/overview';
import { createRelationshipStore } from '@signalbox/store/repository/relationships';
import { createSnapshotStore } from '@signalbox/store/repository/snapshots';
import { createTagStore } from '@signalbox/store/repository/tags';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import { createServiceStore } from '@signalbox/store/deploy/services';
import { findEffect } from '@signalbox/store/effects';
import { createLog } from '@signalbox/platform/log';
import { createGraphNodeReader } from '@signalbox/worker/agents/graph-nodes';
import { loadAgents } from '@signalbox/worker/agents/registry';
import { isPortInUse } from '@signalbox/worker/tools/ports/listening';
import type { Ports } from '@signalbox/worker/tools/ports/ports';
import { loadCapabilities } from '@signalbox/worker/tools/registry';
import {
  issueContext,
  unpackResult,
  type ActionPreview,
  type ProbeResult,
  type ResolveContext,
  type Tool,
  type ToolContext,
} from '@signalbox/worker/tools/tool';
import { createDatabase } from '../../support/database.ts';
import { sampleParts } from '../../support/samples.ts';

/** What a call came to: what the model reads, and what the person reads. */
export interface Called {
  readonly output: Record<string, unknown>;
  readonly said: string;
  /** Files that go with it. */
  readonly files: readonly Artifact[];
  /** The buttons below it. */
  readonly next: readonly { readonly label: string; readonly value: string }[];
}

export interface CapabilityBench {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly started: readonly { readonly job: string; readonly payload: unknown }[];
  /** Calls a tool as the runtime does, without roles and approvals: arguments are parsed first. */
  call(
    tool: string,
    args: unknown,
    options?: { readonly actionId?: string; readonly userKey?: string },
  ): Promise<Called>;
  /** What a tool finds of a call of this id, and what is said of it. */
  probe(
    tool: string,
    args: unknown,
    actionId: string,
  ): Promise<ProbeResult<unknown> & { readonly said: string | null }>;
  /** What an approver would read of a call. */
  preview(tool: string, args: unknown): Promise<ActionPreview | null>;
  /** Returns a result as a model reads it: text from outside stands in envelopes. */
  enclose(tool: string, result: unknown, args?: unknown): unknown;
  close(): Promise<void>;
}

/** A plan as the job service makes it: there is none here, and no repository. */
const planByHand: ResolveContext['work'] = async (job, payload) => {
  const wish = ReadinessPayload.parse(payload);
  const plan = {
    repository: 'file:///srv/demo.git',
    ref: wish.ref,
    commit: createHash('sha1').update(wish.ref).digest('hex'),
    server: { name: wish.server ?? 'local', driver: 'process', host: '127.0.0.1', hostKey: null, login: '' },
    artifact: wish.fromArtifact,
    build: [],
    start: ['node', 'server.js'],
    health: '/',
    file: '0'.repeat(64),
    dockerfile: null,
    variables: [],
  };
  const found = { ready: true, server: plan.server.name, commit: plan.commit, checks: [], plan, problem: null };
  return JOBS[job].result.parse(found) as JobResult<typeof job>;
};

/** Nobody works here: a look at a repository goes on, and no other job is expected. */
const withoutWorkers: ToolContext['work'] = (job) =>
  job === 'repository.look'
    ? Promise.resolve({ kind: 'goes-on', runId: 'r' })
    : Promise.reject(new Error('no job is expected'));

/** The capabilities over a real database. `work` does the jobs that tools wait for. */
export async function openCapabilityBench(
  work: (pool: Pool) => ToolContext['work'] = () => withoutWorkers,
): Promise<CapabilityBench> {
  const database = await createDatabase();
  const pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 20, as: 'owner' });
  const groups = await loadCapabilities([], sampleParts.groups);
  const ports: Ports = {
    projects: createProjectStore(pool),
    schedules: createScheduleStore(pool, 'UTC'),
    demo: { repository: () => Promise.resolve('file:///srv/demo.git') },
    services: createServiceStore(pool),
    deployments: createDeploymentStore(pool),
    releases: createReleaseReader(pool),
    servers: createServerStore(pool),
    portAllocations: createPortAllocations(pool, isPortInUse),
    cards: createCards(pool, () => Promise.resolve()),
    mortgage: createMortgages(pool),
    engineering: createChangeStore(pool),
    repositories: {
      findings: createFindingStore(pool),
      runs: createChainRunStore(pool),
      snapshots: createSnapshotStore(pool),
      overview: createOverviewReader(pool),
      tags: createTagStore(pool),
      relationships: createRelationshipStore(pool),
    },
    knowledge: createKnowledgeSearch(pool),
    graphNodes: createGraphNodeReader(pool, await loadAgents(sampleParts.agents)),
    onCall: { list: async (project) => (await listRotaStates(pool, project)).map(summarizeRota) },
    errorHistory: {
      groups: (filter, limit) => listErrorGroups(pool, filter, limit),
      incidents: () => listOpenIncidents(pool),
      told: (filter, limit) => listIncidents(pool, filter, limit),
    },
    changes: { list: (filter, limit) => listChanges(pool, filter, limit) },
    freezes: createFreezeEffects({ pool, notify: () => Promise.resolve(), usualZone: 'UTC' }),
    memory: createMemoryStore(pool),
    plans: {
      find: (id) => findPlan(pool, id),
      own: (userKey, limit) => listPlans(pool, userKey, limit),
      describe: (plan) => sayProgress(plan).text,
    },
    requests: {
      ...createRequestPort(pool),
      withdraw: (asked) => withdrawRequest({ pool, notify: async () => undefined }, asked),
      titleOf: ({ tool: name, arguments: args }) => find(name).order(args) ?? name,
      splitTitle: (action, title = find(action.tool).order(action.arguments) ?? action.tool) =>
        splitTitle(title, find(action.tool), action),
    },
  };
  const started: { job: string; payload: unknown }[] = [];
  let calls = 0;
  const find = (name: string): Tool => {
    const tool = groups.find((group) => Object.hasOwn(group.tools, name))?.tools[name];
    if (!tool) throw new Error(`no tool ${name}`);
    return tool;
  };
  const contextOf = async (tool: Tool, input: unknown, actionId: string, userKey: string): Promise<ToolContext> =>
    issueContext({
      actor: { userKey, name: 'Ada', role: 'admin' },
      threadId: 'user_1001_1',
      actionId,
      signal: AbortSignal.timeout(tool.deadlineMs),
      now: () => new Date(),
      say: async () => undefined,
      enqueue: async (job, payload) => {
        started.push({ job, payload });
        return { runId: actionId };
      },
      work: work(pool),
      wrote: () => findEffect(pool, actionId),
      worked: () => Promise.resolve({ kind: 'unknown' }),
      resolved:
        (await tool.resolve?.(input, { ports, before: null, threadId: 'user_1001_1', work: planByHand })) ?? null,
      ports,
    });
  return {
    pool,
    ports,
    started,
    probe: async (name, args, actionId) => {
      const tool = find(name);
      const input = tool.input.parse(args);
      const found = await tool.probe?.(input, await contextOf(tool, input, actionId, '1001'));
      if (!found) throw new Error(`${name} has no probe`);
      return { ...found, said: found.kind === 'done' ? tool.done(found.output, input) : null };
    },
    call: async (name, args, options = {}) => {
      const tool = find(name);
      calls += 1;
      const input = tool.input.parse(args);
      const actionId = options.actionId ?? `act_${calls}`;
      const context = await contextOf(tool, input, actionId, options.userKey ?? '1001');
      const { output, files } = unpackResult(await tool.run(input, context));
      const said = tool.done(output, input);
      return { output: output as Record<string, unknown>, said, files, next: tool.next(output, input) }; // tools answer objects
    },
    preview: async (name, args) => find(name).preview(find(name).input.parse(args), { ports, resolved: null }),
    enclose: (name, result, args = {}) => find(name).enclose(name, result, args),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
