import { join } from 'node:path';
import { createDeploymentStore, type DeploymentRequest } from '@signalbox/store/deploy/deployments';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { createServiceStore } from '@signalbox/store/deploy/services';
import type { DeployState } from '@signalbox/contracts/operations/deploy';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { enqueueRun } from '@signalbox/platform/queue/enqueue-run';
import { loadConfig as loadProxyConfig } from '@signalbox/proxy/config';
import { createProxy } from '@signalbox/proxy/proxy';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { endInstances } from '../../support/end-instances.ts';
import { eventually } from '../../support/until.ts';
import { makeRepository, type TestRepository } from '../../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openJobsBench, type JobsBench } from './bench.ts';
import { choosePortBlock } from '../../support/free-port.ts';

export const ADA = '1001';

/** A project of a test's own, with a repository, in one environment. */
export interface Shop {
  readonly project: string;
  readonly environment: 'staging';
  readonly repository: TestRepository;
  /** Asks for a deployment, as the tool does: the row, then the run. */
  ask(deploymentId: string, ref: string, more?: Partial<DeploymentRequest>): Promise<void>;
  /** Asks, and waits for the end of the run: what the person is told. */
  deploy(deploymentId: string, ref: string, more?: Partial<DeploymentRequest>): Promise<string>;
  /** What the service answers through the proxy. */
  serves(path?: string): Promise<string>;
  /** The ports that are leased for it: `staging`, and one per instance. */
  leases(): Promise<readonly string[]>;
}

/** A database, a real proxy, and what tools do to deploy. */
export interface DeployBench {
  readonly jobs: JobsBench;
  readonly targetsDir: string;
  readonly deployments: ReturnType<typeof createDeploymentStore>;
  readonly services: ReturnType<typeof createServiceStore>;
  /** Settings of a job service that runs deployments. */
  settings(more?: Readonly<Record<string, string>>): Record<string, string>;
  shop(project: string): Promise<Shop>;
  /** Waits until it is in one of these states. */
  reaches(deploymentId: string, ...states: readonly DeployState[]): Promise<DeployState>;
  /** What the person is told at the end of a run. */
  told(runId: string): Promise<string>;
  /** The states that it went through. */
  states(deploymentId: string): Promise<readonly string[]>;
  /** What was written while it was deployed. */
  lines(deploymentId: string): Promise<readonly string[]>;
  stopProxy(): Promise<void>;
  startProxy(): Promise<void>;
  close(): Promise<void>;
}

export async function openDeployBench(): Promise<DeployBench> {
  const jobs = await openJobsBench();
  const { settings: bubblewrap } = await openTestConfinement();
  const log = createLog('test', 'silent');
  const folder = makeTemporaryFolder('deploy');
  const targetsDir = join(folder, 'targets');
  const socket = join(makeTemporaryFolder('p'), 's');
  const parts: Closable[] = [];
  const own = <T extends Closable>(part: T): T => {
    parts.push(part);
    return part;
  };
  // Longer than any answer of a test's program takes: whoever waits for one is not cut off.
  const proxyConfig = { PROXY_DIR: join(folder, 'proxy'), PROXY_SOCKET: socket, PROXY_DRAIN_MS: '5000' };
  const startProxy = async (): Promise<void> => void (await createProxy(own, loadProxyConfig(proxyConfig), log));
  await startProxy();
  const { pool } = jobs;
  await pool.query(`insert into users (user_key, channel, name, role) values ($1, 'telegram', 'Ada', 'developer')`, [
    ADA,
  ]);
  await ensureLocalServer(pool, { cpus: 2, memoryMb: 16_000 });
  const first = choosePortBlock();
  await pool.query(`update servers set first_port = $1, last_port = $1 + 99 where name = 'local'`, [first]);
  const deployments = createDeploymentStore(pool);
  const services = createServiceStore(pool);

  const bench: DeployBench = {
    jobs,
    targetsDir,
    deployments,
    services,
    settings: (more = {}) => ({
      JOBS_POOLS: 'deploy',
      ...bubblewrap,
      TARGETS_DIR: targetsDir,
      DEPLOY_DIR: join(folder, 'deploys'),
      REPOSITORIES_DIR: join(folder, 'repositories'),
      PROXY_SOCKET: socket,
      ...more,
    }),
    shop: async (project) => {
      const repository = makeRepository(join(folder, 'repositories', project));
      const row = { name: project, description: '', repository: repository.folder, owner: ADA };
      await createProjectStore(pool).create(row, `act_project_${project}`);
      const service = { project, environment: 'staging' as const };
      const shop: Shop = {
        ...service,
        repository,
        ask: async (deploymentId, ref, more = {}) => {
          const wish = { ...service, deploymentId, kind: 'deploy' as const, ref, server: null, fromArtifact: null };
          await deployments.request({ ...wish, userKey: ADA, threadId: 'thr_1', ...more });
          await enqueueRun(
            { runs: jobs.runs, queue: jobs.queue, log },
            {
              runId: deploymentId,
              job: 'deploy.run',
              payload: { ...service, deploymentId },
              person: { userKey: ADA, chatKey: `telegram:${ADA}` },
              threadId: null,
              traceId: 'trc_test',
            },
          );
        },
        deploy: async (deploymentId, ref, more) => {
          await shop.ask(deploymentId, ref, more);
          return bench.told(deploymentId);
        },
        serves: async (path = '/') => {
          const found = await services.find(service);
          if (found?.port == null) throw new Error('the service has no port yet');
          const url = `http://127.0.0.1:${found.port}${path}`;
          return (await fetch(url, { headers: { connection: 'close' } })).text();
        },
        leases: async () => {
          const { rows } = await pool.query<{ label: string }>(
            `select service as label from port_allocations where project = $1 and released_at is null order by service`,
            [project],
          );
          return rows.map(({ label }) => label);
        },
      };
      return shop;
    },
    reaches: async (deploymentId, ...states) => {
      const look = async () => (await deployments.find(deploymentId))?.state ?? 'queued';
      return eventually(look, (state) => states.includes(state), 40_000);
    },
    told: async (runId) => {
      const all = await eventually(
        () => jobs.told(ADA),
        (news) => news.some((one) => one.runId === runId),
        40_000,
      );
      return all.find((one) => one.runId === runId)?.say ?? '';
    },
    states: async (deploymentId) => (await deployments.events(deploymentId)).map(({ to }) => to),
    lines: async (deploymentId) => (await deployments.lines(deploymentId, 1_000)).map(({ line }) => line),
    startProxy,
    stopProxy: async () => void (await closeAll(parts.splice(0), log)),
    close: async () => {
      await jobs.close();
      await closeAll(parts.splice(0), log);
      await endInstances(targetsDir);
    },
  };
  return bench;
}
