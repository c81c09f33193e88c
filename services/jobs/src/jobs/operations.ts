import { dirname } from 'node:path';
import { createDeployments } from '@signalbox/store/deploy/deployments';
import { createPortLeases } from '../deploy/deployments-ports.ts';
import { DeploymentWork } from '../deploy/deployments-work.ts';
import type { Pool } from '@signalbox/store/pool';
import { createProjects } from '@signalbox/store/deploy/projects';
import { Runs } from '@signalbox/store/turns/runs';
import { createServerProbes } from '../machine/server-probes.ts';
import { createServiceRevivals } from '../health/service-revivals.ts';
import { createServiceStops } from '@signalbox/store/deploy/service-stops';
import { createServices } from '@signalbox/store/deploy/services';
import type { Log } from '@signalbox/platform/log';
import type { Queue } from '@signalbox/platform/queue/queue';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import type { JobsConfig } from '../config.ts';
import type { DeployParts } from '../deploy/parts.ts';
import { createSources } from '../git/sources.ts';
import { openDriver } from '../drivers/open-driver.ts';
import type { PoolHandlers } from '../runner/handlers.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import { bubblewrapOf, cellProgram, findConfinement } from '../sandbox/find-confinement.ts';
import { openGitCell } from '../sandbox/git-room.ts';
import { hiddenPaths } from '../sandbox/program-room.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { HaproxyTraffic } from '../traffic/haproxy-traffic.ts';
import { createProxyTraffic } from '../traffic/proxy-traffic.ts';
import { say } from '@signalbox/messages/say';
import { runDeployment } from '../deploy/engine.ts';
import { describeBriefly, describeResult } from '../deploy/words.ts';
import { createDeployCheck } from './deploy-check.ts';
import { createDeployReconciler } from './deploys-reconcile.ts';
import { createDiagnosticRun } from './diagnostic-run.ts';
import { createRepositoryFetch } from './repository-fetch.ts';
import { createRepositoryLook } from './repository-look.ts';
import { createServerInspect } from './server-inspect.ts';
import { createServersWatch } from '../machine/servers-watch.ts';
import { createServiceDiagnose } from './service-diagnose.ts';
import { createServiceHealth } from './service-health.ts';
import { createServiceLogs } from './service-logs.ts';
import { createServiceRevive } from './service-revive.ts';
import { createServiceStop } from './service-stop.ts';
import { createServicesWatch } from '../health/services-watch.ts';

/** Handlers of the jobs that reach servers. Opens their dependencies once per process. */
export async function createOperationsHandlers(
  config: JobsConfig,
  pool: Pool,
  {
    publisher,
    queue,
    log,
  }: { readonly publisher: Publisher; readonly queue: Pick<Queue, 'enqueue'>; readonly log: Log },
): Promise<PoolHandlers<'deploy'>> {
  const confinement = await findConfinement(config, log);
  const deploy = openDeployParts(config, pool, confinement);
  const runs = new Runs(pool);
  const revivals = createServiceRevivals(pool);
  const diagnose = { ...deploy, pool };
  const servers = { probes: createServerProbes(pool), openDriver: deploy.openDriver };
  return {
    'deploy.run': {
      title: () => say('jobs.theDeployment'),
      run: ({ deploymentId }, context) => runDeployment(deploy, deploymentId, context),
      say: describeResult,
      brief: describeBriefly,
    },
    'deploy.check': createDeployCheck(deploy, createProjects(pool)),
    'deploys.reconcile': createDeployReconciler(deploy, runs),
    'service.logs': createServiceLogs(diagnose),
    'service.health': createServiceHealth(diagnose),
    'service.diagnose': createServiceDiagnose(diagnose),
    'service.stop': createServiceStop({ ...diagnose, stops: createServiceStops(pool) }),
    'service.revive': createServiceRevive({ ...deploy, revivals }),
    'diagnostic.run': createDiagnosticRun({ ...diagnose, sandbox: createSandboxOpener(config) }),
    'repository.look': createRepositoryLook(deploy, createProjects(pool)),
    'repository.fetch': createRepositoryFetch(deploy.sources, createProjects(pool)),
    'server.inspect': createServerInspect(servers),
    'servers.watch': createServersWatch({ ...servers, pool, publisher }),
    'services.watch': createServicesWatch({
      ...diagnose,
      publisher,
      revivals,
      startRun: async (run) => {
        const isNew = await runs.create(run);
        // The sweeper enqueues a run that the queue did not take.
        if (isNew) await queue.enqueue('service.revive', run).catch(() => undefined);
        return isNew;
      },
    }),
  };
}

/** Opens the sandbox lazily, once. */
function createSandboxOpener(config: JobsConfig): () => Promise<Sandbox> {
  let opened: Promise<Sandbox> | null = null;
  return () => (opened ??= openSandbox({ program: bubblewrapOf(config) }));
}

function openDeployParts(config: JobsConfig, pool: Pool, confinement: Confinement): DeployParts {
  const { TARGETS_DIR: targetsDir, BASE_IMAGE: baseImage, PATH: path } = config;
  return {
    confinement,
    work: new DeploymentWork(pool),
    deployments: createDeployments(pool),
    services: createServices(pool),
    leases: createPortLeases(pool),
    sources: createSources({
      dir: config.DEPLOY_DIR,
      repositoriesDirs: config.REPOSITORIES_DIR,
      closed: [targetsDir, dirname(config.SECRETS_KEY_FILE), dirname(config.PROXY_SOCKET), config.WORKSPACE_DIR],
      cell: openGitCell({
        program: cellProgram(config, confinement),
        path,
        hidden: hiddenPaths(targetsDir),
      }),
      path,
      hosts: { privateOnes: config.REPOSITORY_PRIVATE_HOSTS, trustDir: config.REPOSITORY_TRUST_DIR },
    }),
    // The configuration requires the HAProxy socket with TRAFFIC=haproxy.
    traffic:
      config.TRAFFIC === 'haproxy'
        ? new HaproxyTraffic({ socket: config.HAPROXY_SOCKET ?? '', stateDir: config.HAPROXY_STATE_DIR })
        : createProxyTraffic({ socket: config.PROXY_SOCKET }),
    openDriver: ({ server: name, serverHost: host, ...rest }, context) =>
      openDriver(
        { name, host, ...rest },
        {
          targetsDir,
          path,
          baseImage,
          confinement,
          openSecret: ({ handle, owner }, purpose) => context.openSecret(handle, purpose, owner),
        },
      ),
    listenHost: config.PROXY_LISTEN_HOST,
    // A wildcard is no address to connect to.
    reachHost: ['0.0.0.0', '::'].includes(config.PROXY_LISTEN_HOST) ? '127.0.0.1' : config.PROXY_LISTEN_HOST,
    publicHost: config.PROXY_PUBLIC_HOST,
    limits: {
      preparingMs: 5 * MINUTE_MS,
      buildingMs: config.DEPLOY_BUILD_MINUTES * MINUTE_MS,
      startingMs: MINUTE_MS,
      switchingMs: 30 * SECOND_MS,
      verifyingMs: MINUTE_MS,
      undoingMs: 2 * MINUTE_MS,
      stallMs: config.DEPLOY_STALL_MINUTES * MINUTE_MS,
      unknownMs: config.DEPLOY_UNKNOWN_MINUTES * MINUTE_MS,
      wholeMs: (config.DEPLOY_BUILD_MINUTES + 15) * MINUTE_MS,
    },
  };
}
