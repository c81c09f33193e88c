import { serviceName, type DeployState } from '@signalbox/contracts/operations/deploy';
import type { InstanceState } from '../../drivers/driver.ts';
import { requireRunning } from './start.ts';
import { publicUrl, releaseId, serviceOf, type DeploymentSession } from '../deployment-session.ts';

/** What a look at the target and the proxy found of a deployment whose worker or link was lost. */
export interface Traces {
  /** Where it was last. */
  readonly before: DeployState;
  /** Its instance, by the labels on the target. */
  readonly instance: InstanceState['kind'] | 'none';
  /** Whether the proxy sends requests to it. */
  readonly isRouted: boolean;
  readonly isCancelRequested: boolean;
}

/** Where a deployment goes on. Pure: the target and the proxy say what was done, the table only what was meant. */
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
      // The switch was not made, or the proxy has forgotten it: it is made only for an instance that was just found healthy.
      return instance === 'running' ? 'health_checking' : 'failing';
    default:
      return 'preparing';
  }
}

/** Looks at the target and the proxy and goes on from what is there. Throws what the driver throws when it cannot look. */
export async function recover(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const before = await parts.work.lastKnown(row.deploymentId);
  const driver = await session.driver();
  const found = await driver.find(serviceOf(row), signal);
  const ours = found.find(({ id }) => id.deploymentId === row.deploymentId) ?? null;
  const route = await parts.traffic.current(serviceName(row), signal);
  const traces: Traces = {
    before,
    instance: ours?.state.kind ?? 'none',
    isRouted: route?.deploymentId === row.deploymentId,
    isCancelRequested: row.cancelAt !== null,
  };
  const next = decide(traces);
  if (before === 'preparing' || before === 'building') await driver.endBuild(releaseId(row), signal);
  // Why it fails: its instance is gone. One that had begun to fail knows why already.
  if (next === 'failing' && before !== 'failing') requireRunning(ours?.state ?? { kind: 'gone' });
  const evidence = { ...traces, served: route?.deploymentId ?? null };
  const instance = ours ? { instance: ours.instance } : {};
  if (next !== 'verifying' || !route) return held.advance(next, evidence, { change: instance });
  // The switch was made; that it was may not have been written any more.
  const { port } = route.listen;
  const change = { ...instance, url: publicUrl(parts, port) };
  await held.advance(next, evidence, { change, serving: { deploymentId: row.deploymentId, port } });
}
