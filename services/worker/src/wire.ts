import { MIB } from '@signalbox/contracts/size';
import { access, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { listChanges } from '@signalbox/store/deploy/changes';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { listErrorGroups } from '@signalbox/store/deploy/error-groups';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { listIncidents } from '@signalbox/store/incidents/list-incidents';
import { listRotaStates, summarizeRota } from '@signalbox/store/oncall/rota-states';
import { findPlan, listPlans } from '@signalbox/store/governance/plans';
import { createKnowledgeSearch } from './tools/search/knowledge-search.ts';
import { createQueryVectors } from './tools/search/query-vector.ts';
import { createPortAllocations } from './tools/ports/port-allocation-rows.ts';
import { createFreezeEffects } from '@signalbox/governance/freezes/freeze-effects';
import { createRequestPort } from './tools/ports/request-rows.ts';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { RunStore } from '@signalbox/store/turns/runs';
import { createMemoryStore } from '@signalbox/store/memory/facts';
import { createScheduleStore } from '@signalbox/store/schedules/schedules';
import { createReleaseReader } from '@signalbox/store/deploy/releases';
import { createServerStore, ensureLocalServer } from '@signalbox/store/deploy/servers';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { createOverviewReader } from '@signalbox/store/repository/overview';
import { createRelationshipStore } from '@signalbox/store/repository/relationships';
import { createSnapshotStore } from '@signalbox/store/repository/snapshots';
import { createTagStore } from '@signalbox/store/repository/tags';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import { createServiceStore } from '@signalbox/store/deploy/services';
import type { Log } from '@signalbox/platform/log';
import { openEmbedder } from '@signalbox/models/embeddings/settings';
import { openModels } from '@signalbox/models/open-models';
import { checkTargets, readModelPlan } from '@signalbox/models/settings';
import { createPermitQueues } from '@signalbox/platform/permits/permit-queue';
import { createQueue } from '@signalbox/platform/queue/queue';
import { createGraphNodeReader } from './agents/graph-nodes.ts';
import { loadAgents } from './agents/registry.ts';
import type { WorkerConfig } from './config.ts';
import { observeVectors } from './metrics.ts';
import { loadWorkerParts } from './plugin-parts.ts';
import { sayProgress } from '@signalbox/governance/plans/say-plan';
import { getActionTitle } from '@signalbox/governance/receipts';
import { splitTitle } from '@signalbox/governance/split-title';
import { withdrawRequest } from '@signalbox/governance/withdrawal';
import type { Ports } from './tools/ports/ports.ts';
import { isPortInUse } from './tools/ports/listening.ts';
import { createJobClient } from './tools/job-client.ts';
import type { WorkerWiring } from './worker.ts';

/** The nodes of a change of code, which the job service asks: MODEL_FOR may name them. */
const ENGINEERING = { id: 'engineering', nodes: ['planner', 'executor', 'critic'] };

/** The product's wiring: ports over Postgres, jobs over BullMQ, the configured models. */
export function createWiring(config: WorkerConfig, log: Log): WorkerWiring {
  return {
    models: async (registry, agents, observer, redis) => {
      const plan = readModelPlan(config);
      checkTargets(plan, [...agents, ENGINEERING]);
      const gates = createPermitQueues({
        redis,
        prefix: config.REDIS_PREFIX,
        max: config.MODEL_CONCURRENCY ?? null,
        log,
      });
      return openModels(plan, { catalog: () => registry.catalog, log, observer, gates });
    },
    ports: async (pool, { groups }, notify, metrics) => {
      await ensureLocalServer(pool, await measureThisMachine());
      const brought = await loadWorkerParts(config.AGENTS);
      const findTool = (name: string) => groups.flatMap(({ tools }) => tools[name] ?? [])[0] ?? null;
      const titleOf: Ports['requests']['titleOf'] = (action) => getActionTitle(findTool(action.tool), action);
      return {
        ...brought.ports({ pool, notify }),
        projects: createProjectStore(pool),
        demo: { repository: () => demoRepository(config.DEMO_REPOSITORY) },
        services: createServiceStore(pool),
        deployments: createDeploymentStore(pool),
        releases: createReleaseReader(pool),
        servers: createServerStore(pool),
        portAllocations: createPortAllocations(pool, isPortInUse),
        repositories: {
          findings: createFindingStore(pool),
          runs: createChainRunStore(pool),
          snapshots: createSnapshotStore(pool),
          overview: createOverviewReader(pool),
          tags: createTagStore(pool),
          relationships: createRelationshipStore(pool),
        },
        engineering: createChangeStore(pool),
        knowledge: createKnowledgeSearch(
          pool,
          createQueryVectors({ pool, embedder: openEmbedder(config), log, note: observeVectors(metrics) }),
        ),
        graphNodes: createGraphNodeReader(pool, await loadAgents(brought.agents)),
        errorHistory: {
          groups: (filter, limit) => listErrorGroups(pool, filter, limit),
          incidents: () => listOpenIncidents(pool),
          told: (filter, limit) => listIncidents(pool, filter, limit),
        },
        changes: { list: (filter, limit) => listChanges(pool, filter, limit) },
        onCall: { list: async (project) => (await listRotaStates(pool, project)).map(summarizeRota) },
        freezes: createFreezeEffects({ pool, notify, usualZone: config.POLICY_TIME_ZONE }),
        memory: createMemoryStore(pool),
        schedules: createScheduleStore(pool, config.POLICY_TIME_ZONE),
        plans: {
          find: (planId) => findPlan(pool, planId),
          own: (userKey, limit) => listPlans(pool, userKey, limit),
          describe: (plan) => sayProgress(plan).text,
        },
        requests: {
          ...createRequestPort(pool),
          withdraw: (asked) => withdrawRequest({ pool, notify }, asked),
          titleOf,
          splitTitle: (action, title = titleOf(action)) => splitTitle(title, findTool(action.tool), action),
        },
      };
    },
    jobs: (own, pool) => {
      const queue = own(createQueue({ redisUrl: config.REDIS_URL, prefix: config.REDIS_PREFIX, log }));
      return createJobClient({ runs: new RunStore(pool), queue, log });
    },
  };
}

/** Returns the demo repository's folder; null when none is configured, or the folder is no repository. */
async function demoRepository(folder: string | undefined): Promise<string | null> {
  if (folder === undefined) return null;
  const isThere = await access(join(folder, 'HEAD')).then(
    () => true,
    () => false,
  );
  return isThere ? pathToFileURL(resolve(folder)).href : null;
}

/** Measures this machine, for the first minute until the job service has measured it. */
async function measureThisMachine() {
  const { blocks, bavail, bsize } = await statfs(dirname(fileURLToPath(import.meta.url)));
  return {
    cpus: availableParallelism(),
    memoryMb: totalmem() / MIB,
    memoryFreeMb: freemem() / MIB,
    diskMb: (blocks * bsize) / MIB,
    diskFreeMb: (bavail * bsize) / MIB,
  };
}
