import { MIB } from '@signalbox/contracts/size';
import { access, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createDeployments } from '@signalbox/store/deploy/deployments';
import { listErrorGroups } from '@signalbox/store/deploy/error-groups';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { listOwnRequests } from '@signalbox/store/governance/own-requests';
import { createKnowledge } from './tools/ports/knowledge-rows.ts';
import { createPortAllocations } from './tools/ports/port-allocation-rows.ts';
import { createProjects } from '@signalbox/store/deploy/projects';
import { Runs } from '@signalbox/store/turns/runs';
import { createMemory } from '@signalbox/store/memory/facts';
import { createServers, ensureLocalServer } from '@signalbox/store/deploy/servers';
import { createChainRuns } from '@signalbox/store/repository/chain-runs';
import { createFindings } from '@signalbox/store/repository/findings';
import { createOverview } from '@signalbox/store/repository/overview';
import { createRelationships } from '@signalbox/store/repository/relationships';
import { createSnapshots } from '@signalbox/store/repository/snapshots';
import { createTags } from '@signalbox/store/repository/tags';
import { createServices } from '@signalbox/store/deploy/services';
import type { Log } from '@signalbox/platform/log';
import { openModels } from '@signalbox/models/open-models';
import { checkTargets, readModelPlan } from '@signalbox/models/settings';
import { createQueue } from '@signalbox/platform/queue/queue';
import { createGraphNodes } from './agents/graph-nodes.ts';
import { loadAgents } from './agents/registry.ts';
import type { WorkerConfig } from './config.ts';
import { loadWorkerParts } from './plugin-parts.ts';
import { getActionTitle } from '@signalbox/governance/receipts';
import { isPortInUse } from './tools/ports/listening.ts';
import { createJobClient } from './tools/job-client.ts';
import type { WorkerWiring } from './worker.ts';

/** The product's wiring: ports over Postgres, jobs over BullMQ, the configured models. */
export function createWiring(config: WorkerConfig, log: Log): WorkerWiring {
  return {
    models: async (registry, agents, observer) => {
      const plan = readModelPlan(config);
      checkTargets(plan, agents);
      return openModels(plan, { catalog: () => registry.catalog, log, observer });
    },
    ports: async (pool, { groups }, notify) => {
      await ensureLocalServer(pool, await measureThisMachine());
      const brought = await loadWorkerParts(config.AGENTS);
      return {
        ...brought.ports({ pool, notify }),
        projects: createProjects(pool),
        demo: { repository: () => demoRepository(config.DEMO_REPOSITORY) },
        services: createServices(pool),
        deployments: createDeployments(pool),
        servers: createServers(pool),
        portAllocations: createPortAllocations(pool, isPortInUse),
        repositories: {
          findings: createFindings(pool),
          runs: createChainRuns(pool),
          snapshots: createSnapshots(pool),
          overview: createOverview(pool),
          tags: createTags(pool),
          relationships: createRelationships(pool),
        },
        knowledge: createKnowledge(pool),
        graphNodes: createGraphNodes(pool, await loadAgents(brought.agents)),
        errorHistory: {
          groups: (filter, limit) => listErrorGroups(pool, filter, limit),
          incidents: () => listOpenIncidents(pool),
        },
        memory: createMemory(pool),
        requests: {
          own: (of, limit) => listOwnRequests(pool, of, limit),
          titleOf: (action) =>
            getActionTitle(groups.flatMap(({ tools }) => tools[action.tool] ?? [])[0] ?? null, action),
        },
      };
    },
    jobs: (own, pool) => {
      const queue = own(createQueue({ redisUrl: config.REDIS_URL, prefix: config.REDIS_PREFIX, log }));
      return createJobClient({ runs: new Runs(pool), queue, log });
    },
  };
}

/** Null when none is configured, or the folder is no repository. */
async function demoRepository(folder: string | undefined): Promise<string | null> {
  if (folder === undefined) return null;
  const isThere = await access(join(folder, 'HEAD')).then(
    () => true,
    () => false,
  );
  return isThere ? pathToFileURL(resolve(folder)).href : null;
}

/** For the first minute, until the job service has measured the machine. */
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
