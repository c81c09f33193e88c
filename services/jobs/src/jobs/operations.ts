import { dirname } from 'node:path';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { createPortLeases } from '../deploy/port-leases.ts';
import { DeploymentStore } from '../deploy/deployment-work.ts';
import type { Pool } from '@signalbox/store/pool';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { RunStore, type RunIntent } from '@signalbox/store/turns/runs';
import { createServerProbeStore } from '../machine/server-probes.ts';
import { createServiceRevivals } from '../health/service-revivals.ts';
import { createServiceStopStore } from '@signalbox/store/deploy/service-stops';
import { createServiceStore } from '@signalbox/store/deploy/services';
import type { Log } from '@signalbox/platform/log';
import type { Queue } from '@signalbox/platform/queue/queue';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS, SECOND_MS, HOUR_MS } from '@signalbox/contracts/time';
import type { JobsConfig } from '../config.ts';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import type { CommitReadDeps } from '../git/commit-files.ts';
import { createForges, type FindForge } from '../forges/open-forge.ts';
import { createGit } from '../git/git.ts';
import { createCodeWatchHandler } from '../knowledge/code-watch.ts';
import { createSourceStore, type SourceStore } from '../git/sources.ts';
import { openDriver } from '../drivers/open-driver.ts';
import type { PoolHandlers, HandlerOf, JobContext } from '../runner/handlers.ts';
import type { Confinement } from '../sandbox/confinement.ts';
import { findConfiguredBubblewrap, findRepositoryBubblewrap, findConfinement } from '../sandbox/find-confinement.ts';
import { openGitConfinement } from '../sandbox/git-room.ts';
import { listHiddenPaths } from '../sandbox/program-room.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createProgramLookUp } from '../ways/way.ts';
import { HaproxyTraffic } from '../traffic/haproxy-traffic.ts';
import { createProxyTraffic } from '../traffic/proxy-traffic.ts';
import { say, explainError } from '@signalbox/messages/say';
import { findDriverServer, readHealth } from '@signalbox/store/deploy/service-health';
import { AppError } from '@signalbox/contracts/errors';
import { redactText } from '@signalbox/safety/redact/redact';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import type { ChainFetchResult } from '@signalbox/contracts/repository/chain-run';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { countErrors } from '@signalbox/store/deploy/error-groups';
import { runDeployment } from '../deploy/engine.ts';
import { summarizeResult, describeResult, isOwnResult } from '../deploy/describe-deployment.ts';
import { createDeployCheckHandler } from './deploy-check.ts';
import { createDeployReconcileHandler } from './deploys-reconcile.ts';
import { createRepositoryReadHandler } from './repository-look.ts';
import { createRepositoryReadingHandlers } from './repository-reading.ts';
import { createEngineeringLookHandler, createEngineeringPublishHandler } from './engineering-publish.ts';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import { createServersWatchHandler } from '../machine/servers-watch.ts';
import { createServiceDiagnoseHandler } from './service-diagnose.ts';
import { createServiceLogsHandler } from './service-logs.ts';
import { createServiceRequestHandler } from './service-request.ts';
import { createServiceReviveHandler } from './service-revive.ts';
import { createServiceStopHandler } from './service-stop.ts';
import { createEscalationHandler } from '../health/escalation.ts';
import { createServicesWatchHandler } from '../health/services-watch.ts';
import { takeLastLines } from '../sandbox/kept-output.ts';
import { withDriver, type DiagnoseDeps, findServingDeployment } from '../health/target.ts';
import { executeBounded } from '../machine/bounded-run.ts';
import { readRelease, type ReleaseDeps } from '../machine/read-release.ts';
import { toRepository } from '../git/repository-login.ts';
import { describeEndedCommands, probeServer, type MachineDeps } from '../machine/probe-server.ts';
import { HealthState } from '../health/latencies.ts';
import { probeService, createEmptyMeasurements } from '../health/probe-service.ts';
import { judgeHealth } from '../health/verdict.ts';

/** Maximum of stored bytes per output. */
const MAX_OUTPUT_BYTES = 30_000;

/** Creates the handlers of jobs that reach servers. Opens their dependencies once per process. */
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
  const runs = new RunStore(pool);
  const revivals = createServiceRevivals(pool);
  const diagnose = { ...deploy, pool };
  const startRun = async (job: 'service.revive' | 'knowledge.code', run: RunIntent): Promise<boolean> => {
    const isNew = await runs.create(run);
    // The sweeper enqueues a run that the queue did not take.
    if (isNew) await queue.enqueue(job, run).catch(() => undefined);
    return isNew;
  };
  const servers = { probes: createServerProbeStore(pool), openDriver: deploy.openDriver };
  const publishing = {
    ...deploy,
    changes: createChangeStore(pool),
    projects: createProjectStore(pool),
  };
  return {
    'deploy.run': {
      title: () => say('jobs.theDeployment'),
      run: ({ deploymentId }, context) => runDeployment(deploy, deploymentId, context),
      say: describeResult,
      isOwn: isOwnResult,
      brief: summarizeResult,
    },
    'deploy.check': createDeployCheckHandler(deploy, createProjectStore(pool)),
    'deploys.reconcile': createDeployReconcileHandler(deploy, runs),
    'service.logs': createServiceLogsHandler(diagnose),
    'service.health': createServiceHealth(diagnose),
    'service.request': createServiceRequestHandler(diagnose),
    'service.diagnose': createServiceDiagnoseHandler(diagnose),
    'service.stop': createServiceStopHandler({ ...diagnose, stops: createServiceStopStore(pool) }),
    'service.revive': createServiceReviveHandler({ ...deploy, revivals }),
    'diagnostic.run': createDiagnosticRun({ ...diagnose, sandbox: createSandboxOpener(config) }),
    'repository.look': createRepositoryReadHandler(deploy, createProjectStore(pool)),
    ...createRepositoryReadingHandlers({ ...deploy, projects: createProjectStore(pool) }),
    'repository.fetch': createRepositoryFetchHandler(deploy.sources, createProjectStore(pool)),
    'knowledge.watch': createCodeWatchHandler({
      pool,
      sources: deploy.sources,
      startRun: (run) => startRun('knowledge.code', run),
    }),
    'engineering.fetch': createRepositoryFetchHandler(deploy.sources, createProjectStore(pool)),
    'engineering.look': createEngineeringLookHandler(publishing),
    'engineering.publish': createEngineeringPublishHandler(publishing),
    'server.inspect': createServerInspectHandler(servers),
    'servers.watch': createServersWatchHandler({ ...servers, pool, publisher }),
    'incidents.escalate': createEscalationHandler({ pool, publisher, minutes: config.INCIDENT_ESCALATION_MINUTES }),
    'services.watch': createServicesWatchHandler({
      ...diagnose,
      publisher,
      revivals,
      startRun: (run) => startRun('service.revive', run),
    }),
  };
}

function createSandboxOpener(config: JobsConfig): () => Promise<Sandbox> {
  let opened: Promise<Sandbox> | null = null;
  return () => (opened ??= openSandbox({ program: findConfiguredBubblewrap(config) }));
}

function openDeployParts(
  config: JobsConfig,
  pool: Pool,
  confinement: Confinement,
): DeployDeps & CommitReadDeps & { readonly findForge: FindForge } {
  const { TARGETS_DIR: targetsDir, BASE_IMAGE: baseImage, PATH: path } = config;
  const cell = openGitConfinement({
    program: findRepositoryBubblewrap(config, confinement),
    path,
    hidden: listHiddenPaths(targetsDir),
  });
  const git = createGit({ path, home: config.DEPLOY_DIR, cell });
  const hosts = { privateOnes: config.REPOSITORY_PRIVATE_HOSTS, trustDir: config.REPOSITORY_TRUST_DIR };
  const repositoriesDirs = config.REPOSITORIES_DIR;
  const forges = createForges({ git, dir: config.DEPLOY_DIR, repositoriesDirs, forges: config.FORGES, hosts });
  return {
    git,
    findForge: forges.findForge,
    path,
    confinement,
    work: new DeploymentStore(pool),
    deployments: createDeploymentStore(pool),
    services: createServiceStore(pool),
    leases: createPortLeases(pool),
    sources: createSourceStore({
      dir: config.DEPLOY_DIR,
      repositoriesDirs,
      closed: [targetsDir, dirname(config.SECRETS_KEY_FILE), dirname(config.PROXY_SOCKET), config.WORKSPACE_DIR],
      cell,
      path,
      // Confined programs read no folders of people.
      hasProgram: createProgramLookUp(path, (dir) => confinement.kind === 'off' || /^\/(?:usr|bin)(?:\/|$)/.test(dir)),
      hosts,
      exchangeLogin: forges.exchangeLogin,
    }),
    // With TRAFFIC=haproxy the configuration requires the HAProxy socket.
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
    // Nobody can connect to a wildcard address.
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

/** Runs a command on a server: a listed reading program with limits, or any other command whose exact text a person has approved. */
function createDiagnosticRun(
  parts: Pick<DiagnoseDeps, 'pool' | 'openDriver'> & ReleaseDeps,
): HandlerOf<'diagnostic.run'> {
  return {
    title: () => say('jobs.runningADiagnosticCommand'),
    run: async ({ server, command, onlyReads, service }, context) => {
      if (service) return readRelease(parts, { server, command, service }, context);
      const { decision, pipeline, reason } = classifyCommand(command, 'server');
      // The command is checked again: a worker of another release may have classified it differently.
      if (decision === 'deny' || (pipeline === null && onlyReads)) throw new AppError('COMMAND_REFUSED', { reason });
      const target = await findDriverServer(parts.pool, server);
      const startedAt = performance.now();
      const options = { signal: context.signal, maxBytes: MAX_OUTPUT_BYTES };
      const { code, stdout, stderr, truncated } = await withDriver(parts, target, context, (driver) =>
        pipeline ? executeBounded(driver, pipeline, options) : driver.execute(['sh', '-c', command], options),
      );
      const seconds = Math.round(performance.now() - startedAt) / 1_000;
      return { server, code, stdout: redactText(stdout), stderr: redactText(stderr), truncated, seconds };
    },
    say: ({ server, code, stdout, stderr }) =>
      `${say('jobs.diagnosticEnded', { server, isKilled: code === null, code: code ?? '' })}\n${takeLastLines(stdout || stderr)}`,
  };
}

/** Fetches a project's repository for a chain of analysis steps. An unreadable repository is a result, not a failure. */
export function createRepositoryFetchHandler(
  sources: Pick<SourceStore, 'fetch'>,
  projects: Pick<ReturnType<typeof createProjectStore>, 'get'>,
): Pick<HandlerOf<'repository.fetch'>, 'title' | 'say'> & {
  run(asked: { readonly project: string; readonly ref: string }, context: JobContext): Promise<ChainFetchResult>;
} {
  return {
    title: () => say('jobs.repositoryChain'),
    async run({ project, ref }, { openSecret, signal }): Promise<ChainFetchResult> {
      try {
        const repository = toRepository(await projects.get(project), openSecret);
        if (repository === null) throw new AppError('REPOSITORY_MISSING', { project });
        const { mirror, commit, folder } = await sources.fetch(repository, ref, signal);
        return { mirror, commit, folder, problem: null };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { mirror: null, commit: null, folder: null, problem: explainError(error).slice(0, 2_000) };
      }
    },
    // The chain reports at its end, so this step says nothing.
    say: () => '',
  };
}

/** Measures a server and stores the result. */
export function createServerInspectHandler(deps: MachineDeps): HandlerOf<'server.inspect'> {
  return {
    title: () => say('jobs.lookingAtAServer'),
    run: async ({ server: name }, context) => {
      const server = await deps.probes.get(name);
      const probe = await probeServer(deps, server, context);
      context.signal.throwIfAborted();
      await deps.probes.save(name, probe);
      if (probe.kind === 'up') {
        const { hostKey } = server;
        const hostKeyTrusted = hostKey === null ? null : true;
        const detail = describeEndedCommands(probe.ended);
        return { server: name, reached: true, inventory: probe.inventory, hostKey, hostKeyTrusted, detail };
      }
      const { detail, hostKey } = probe;
      const hostKeyTrusted = hostKey === null ? null : false;
      return { server: name, reached: false, inventory: null, hostKey, hostKeyTrusted, detail };
    },
    say: ({ server, reached, detail }) => (reached ? `I measured ${server}. ${detail}`.trim() : detail),
  };
}

function createServiceHealth(parts: DiagnoseDeps): HandlerOf<'service.health'> {
  return {
    title: () => say('jobs.lookingAtAService'),
    run: (service, context) => probeOnce(parts, service, context),
    say: ({ project, environment, verdict, because }) => `${project} in ${environment} is ${verdict}. ${because}`,
  };
}

/** Probes a service and judges the measurements. Throws NOT_FOUND, and errors of an unreachable server. */
async function probeOnce(
  parts: DiagnoseDeps,
  key: JobPayload<'service.health'>,
  context: Pick<JobContext, 'signal' | 'openSecret'>,
): Promise<JobResult<'service.health'>> {
  const { service, serving } = await findServingDeployment(parts, key);
  const memory = HealthState.parse((await readHealth(parts.pool, key))?.health);
  const found =
    serving === null
      ? createEmptyMeasurements(await countErrors(parts.pool, key, HOUR_MS))
      : await withDriver(parts, serving, context, (driver) =>
          probeService(parts, { driver, signal: context.signal }, { service, serving }, memory),
        );
  return { ...key, ...found, ...judgeHealth(found) };
}
