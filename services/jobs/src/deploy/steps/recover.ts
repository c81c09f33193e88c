import { formatServiceName, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { InstanceState } from '../../drivers/driver.ts';
import { requireRunning } from './start.ts';
import { createPublicUrl, getReleaseId, pickService, type DeploymentSession } from '../deployment-session.ts';

/** What the server and the proxy report about a deployment whose worker or connection was lost. */
export interface RecoveryInput {
  /** Last state before `unknown`. */
  readonly before: DeployState;
  /** State of the deployment's instance, which the driver finds by its labels. */
  readonly instance: InstanceState['kind'] | 'none';
  readonly isRouted: boolean;
  readonly isCancelRequested: boolean;
}

/** Decides the state in which a deployment continues. Trusts the server and the proxy more than the last stored state. Pure. */
export function decideNextState({ before, instance, isRouted, isCancelRequested }: RecoveryInput): DeployState {
  if (before === 'failing' || before === 'cancelling') return before;
  if (isRouted) return before === 'draining' ? 'draining' : 'verifying';
  if (isCancelRequested) return 'cancelling';
  switch (before) {
    case 'building':
      return 'building';
    case 'starting':
      return instance === 'running' ? 'health_checking' : 'starting';
    case 'health_checking':
      if (instance === 'running') return 'health_checking';
      return instance === 'exited' ? 'failing' : 'starting';
    case 'switching':
    case 'verifying':
    case 'draining':
      // The switch was not made or was lost. A new switch requires that the instance has just passed its health check.
      return instance === 'running' ? 'health_checking' : 'failing';
    default:
      return 'preparing';
  }
}

/** Asks the server and the proxy, and continues the deployment from their reports. Throws errors of the driver. */
export async function recoverDeployment(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const before = await parts.work.findLastKnownState(row.deploymentId);
  const driver = await session.driver();
  const found = await driver.find(pickService(row), signal);
  const ours = found.find(({ id }) => id.deploymentId === row.deploymentId) ?? null;
  const route = await parts.traffic.current(formatServiceName(row), signal);
  const traces: RecoveryInput = {
    before,
    instance: ours?.state.kind ?? 'none',
    isRouted: route?.deploymentId === row.deploymentId,
    isCancelRequested: row.cancelAt !== null,
  };
  const next = decideNextState(traces);
  if (before === 'preparing' || before === 'building') await driver.endBuild(getReleaseId(row), signal);
  // The instance is gone. A deployment that was already failing keeps its failure.
  if (next === 'failing' && before !== 'failing') requireRunning(ours?.state ?? { kind: 'gone' });
  const evidence = { ...traces, served: route?.deploymentId ?? null };
  const instance = ours ? { instance: ours.instance } : {};
  if (next !== 'verifying' || !route) return held.advance(next, evidence, { change: instance });
  // The switch was made, but perhaps not stored.
  const { port } = route.listen;
  const change = { ...instance, url: createPublicUrl(parts, port) };
  await held.advance(next, evidence, { change, serving: { deploymentId: row.deploymentId, port } });
}
