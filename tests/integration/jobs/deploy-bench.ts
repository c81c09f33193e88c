import { join } from 'node:path';
import { createDeployments, type DeploymentWish } from '@signalbox/shared/db/deployments';
import { createProjects } from '@signalbox/shared/db/projects';
import { ensureLocalServer } from '@signalbox/shared/db/servers';
import { createServices } from '@signalbox/shared/db/services';
import type { DeployState } from '@signalbox/shared/contracts/deploy';
import { closeAll, type Closable } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { enqueueRun } from '@signalbox/shared/queue/enqueue-run';
import { loadConfig as loadProxyConfig } from '@signalbox/proxy/config';
import { createProxy } from '@signalbox/proxy/proxy';
import { eventually } from '../../support/until.ts';
import { makeRepository, type TestRepository } from '../../support/deploy-repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openJobsBench, type JobsBench } from './bench.ts';

export const SHOP = { project: 'shop', environment: 'staging' } as const;
export const ADA = '1001';

/** A database with a project, its repository, a real proxy, and what a tool does to deploy. */
export interface DeployBench {
  readonly jobs: JobsBench;
  readonly repository: TestRepository;
  readonly targetsDir: string;
  readonly deployments: ReturnType<typeof createDeployments>;
  readonly services: ReturnType<typeof createServices>;
  /** Settings of a job service that runs deployments. */
  settings(more?: Readonly<Record<string, string>>): Record<string, string>;
  /** Asks for a deployment, as the tool does: the row, then the run. */
  ask(deploymentId: string, ref: string, more?: Partial<DeploymentWish>): Promise<void>;
  /** Waits until it is in one of these states. */
  reaches(deploymentId: string, ...states: readonly DeployState[]): Promise<DeployState>;
  /** Asks, and waits for the end of the run: what the person is told. */
  deploy(deploymentId: string, ref: string, more?: Partial<DeploymentWish>): Promise<string>;
  told(runId: string): Promise<string>;
  /** The states that it went through. */
  states(deploymentId: string): Promise<readonly string[]>;
  /** What the service answers through the proxy. */
  serves(path?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openDeployBench(): Promise<DeployBench> {
  const jobs = await openJobsBench();
  const log = createLog('test', 'silent');
  const folder = makeTemporaryFolder('deploy');
  const targetsDir = join(folder, 'targets');
  const repository = makeRepository(join(folder, 'repositories', 'shop'));
  const parts: Closable[] = [];
  const socket = join(makeTemporaryFolder('p'), 's');
  const own = <T extends Closable>(part: T): T => {
    parts.push(part);
    return part;
  };
  const proxyConfig = loadProxyConfig({
    PROXY_DIR: join(folder, 'proxy'),
    PROXY_SOCKET: socket,
    PROXY_DRAIN_MS: '500',
  });
  await createProxy(own, proxyConfig, log);
  const { pool } = jobs;
  await pool.query(
    `insert into users (user_key, channel, name, role) values ($1, 'telegram', 'Ada', 'developer') on conflict do nothing`,
    [ADA],
  );
  await createProjects(pool).create(
    { name: 'shop', description: '', repository: repository.folder, owner: ADA },
    'act_p',
  );
  await ensureLocalServer(pool, { cpus: 2, memoryMb: 8_000 });
  // Test files run at the same time, and each has a table of ports of its own.
  const first = 20_000 + Math.floor(Math.random() * 110) * 100;
  await pool.query(`update servers set first_port = $1, last_port = $1 + 99 where name = 'local'`, [first]);
  const deployments = createDeployments(pool);

  const bench: DeployBench = {
    jobs,
    repository,
    targetsDir,
    deployments,
    services: createServices(pool),
    settings: (more = {}) => ({
      JOBS_POOLS: 'deploy',
      TARGETS_DIR: targetsDir,
      DEPLOY_DIR: join(folder, 'deploys'),
      REPOSITORIES_DIR: join(folder, 'repositories'),
      PROXY_SOCKET: socket,
      ...more,
    }),
    ask: async (deploymentId, ref, more = {}) => {
      const wish = { ...SHOP, deploymentId, kind: 'deploy' as const, ref, server: null, fromArtifact: null };
      await deployments.request({ ...wish, userKey: ADA, threadId: 'thr_1', ...more });
      await enqueueRun(
        { runs: jobs.runs, queue: jobs.queue, log },
        {
          runId: deploymentId,
          job: 'deploy.run',
          payload: { ...SHOP, deploymentId },
          person: { userKey: ADA, chatKey: `telegram:${ADA}` },
          threadId: null,
          traceId: 'trc_test',
        },
      );
    },
    reaches: async (deploymentId, ...states) => {
      const look = async () => (await deployments.find(deploymentId))?.state ?? 'queued';
      return eventually(look, (state) => states.includes(state), 40_000);
    },
    deploy: async (deploymentId, ref, more) => {
      await bench.ask(deploymentId, ref, more);
      return bench.told(deploymentId);
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
    serves: async (path = '/') => {
      const service = await bench.services.find(SHOP);
      if (service?.port == null) throw new Error('the service has no port yet');
      const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { connection: 'close' } });
      return response.text();
    },
    close: async () => {
      await jobs.close();
      await closeAll(parts.splice(0), log);
    },
  };
  return bench;
}
