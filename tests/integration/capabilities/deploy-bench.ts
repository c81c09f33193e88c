import { randomUUID } from 'node:crypto';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { afterEach, beforeEach } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

export let bench: CapabilityBench;

/** Gives each test of the file a bench of its own, with a server and the demo project. */
export function useDeployBench(): void {
  beforeEach(async () => {
    bench = await openCapabilityBench();
    await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
    await bench.call('register_demo_project', {});
  });
  afterEach(() => bench.close());
}

export const STAGING = { project: 'demo', environment: 'staging' };

/** Asks for a deployment of the demo under the given id. */
export const deploy = (version: string, actionId: string, environment = 'staging') =>
  bench.call('trigger_deploy', { project: 'demo', version, environment }, { actionId });

/** Moves a deployment on as the engine does, without one. */
export async function setState(deploymentId: string, state: string, release: string | null = null): Promise<void> {
  const isOver = ['succeeded', 'failed', 'rolled_back', 'cancelled'].includes(state);
  await bench.pool.query(
    `update deployments set state = $2, release = coalesce($3, release), state_at = clock_timestamp(), artifact_kept = $2 = 'succeeded',
            finished_at = case when $4 then clock_timestamp() end where deployment_id = $1`,
    [deploymentId, state, release, isOver],
  );
  if (state === 'succeeded')
    await bench.pool.query(
      `update services v set serving = $1 from deployments d
        where d.deployment_id = $1 and v.project = d.project and v.environment = d.environment`,
      [deploymentId],
    );
}

/** Deploys a version of the demo, as a request and an engine that is through with it do; returns the id. */
export async function deployed(version: string, environment = 'staging'): Promise<string> {
  const id = `act_${randomUUID()}`;
  await deploy(version, id, environment);
  await setState(id, 'succeeded', `${version}.0-abc1234`);
  return id;
}

export const rows = async () =>
  (
    await bench.pool.query<{ id: string; kind: string; ref: string; state: string; from: string | null }>(
      `select deployment_id as id, kind, ref, state, from_artifact as "from" from deployments order by requested_at, deployment_id`,
    )
  ).rows;
