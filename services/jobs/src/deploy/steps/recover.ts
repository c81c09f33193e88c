import { nameService, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { InstanceState } from '../../drivers/driver.ts';
import { requireRunning } from './start.ts';
import { createPublicUrl, releaseId, pickService, type DeploymentSession } from '../deployment-session.ts';

/** What the server and the proxy have of a deployment whose worker or connection was lost. */
export interface Traces {
  /** The last known state. */
  readonly before: DeployState;
  /** Its instance, found by the labels on the server. */
  readonly instance: InstanceState['kind'] | 'none';
  /** True when the proxy sends requests to it. */
  readonly isRouted: boolean;
  readonly isCancelRequested: boolean;
}

/** The state in which a deployment continues. Pure. The server and the proxy know what was done, the table only what was intended. */
export function decide({ before, instance, isRouted, isCancelRequested }: Traces): DeployState {
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
      // The switch was not made or was lost. It is only made to an instance that was just found healthy.
      return instance === 'running' ? 'health_checking' : 'failing';
    default:
      return 'preparing';
  }
}

/** Reads the server and the proxy and continues from what is there. Throws what the driver throws. */
export async function recover(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const before = await parts.work.lastKnown(row.deploymentId);
  const driver = await session.driver();
  const found = await driver.find(pickService(row), signal);
  const ours = found.find(({ id }) => id.deploymentId === row.deploymentId) ?? null;
  const route = await parts.traffic.current(nameService(row), signal);
  const traces: Traces = {
    before,
    instance: ours?.state.kind ?? 'none',
    isRouted: route?.deploymentId === row.deploymentId,
    isCancelRequested: row.cancelAt !== null,
  };
  const next = decide(traces);
  if (before === 'preparing' || before === 'building') await driver.endBuild(releaseId(row), signal);
  // The instance is gone; a deployment that was already failing has its reason.
  if (next === 'failing' && before !== 'failing') requireRunning(ours?.state ?? { kind: 'gone' });
  const evidence = { ...traces, served: route?.deploymentId ?? null };
  const instance = ours ? { instance: ours.instance } : {};
  if (next !== 'verifying' || !route) return held.advance(next, evidence, { change: instance });
  // The switch was made, but may not have been stored.
  const { port } = route.listen;
  const change = { ...instance, url: createPublicUrl(parts, port) };
  await held.advance(next, evidence, { change, serving: { deploymentId: row.deploymentId, port } });
}
