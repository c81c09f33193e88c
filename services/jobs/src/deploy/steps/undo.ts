import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import type { FoundErrors } from '@signalbox/store/deploy/error-groups';
import type { Driver, ProgramInstance } from '../../drivers/driver.ts';
import { probeHealth } from './probe-health.ts';
import {
  releaseInstancePort,
  requireServiceFile,
  getReleaseId,
  pickService,
  type DeploymentSession,
} from '../deployment-session.ts';
import { getFingerprint, groupErrors } from '../../logs/error-lines.ts';

const KINDS = 10;

const PAUSE_MS = 200;
const STOP_GRACE_MS = 5 * SECOND_MS;
const MAX_PROBES = 5;

/** Undoes a failed deployment: the previous release serves again, and the new instance is stopped. */
export async function failDeployment(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  // Before the switch, the proxy has nothing to undo and may be the server that does not answer.
  const wasSwitching = await parts.work.wasIn(row.deploymentId, 'switching');
  const route = wasSwitching ? await parts.traffic.current(formatServiceName(row), signal) : null;
  const isOurs = route?.deploymentId === row.deploymentId;
  const wasSwitched = isOurs || (await parts.work.wasIn(row.deploymentId, 'verifying'));
  if (!wasSwitched) {
    await endAll(session, signal);
    await held.advance(
      'failed',
      { serves: route?.deploymentId ?? row.replaces },
      { errors: listFailureErrors(row, false) },
    );
    return;
  }
  const errors = listFailureErrors(row, true);
  const back: Back = isOurs ? await switchBack(session, signal) : { kind: 'switched', to: route?.deploymentId ?? null };
  if (back.kind === 'kept') {
    // The previous release does not respond, so the new one keeps serving.
    await held.advance('failed', { serves: row.deploymentId, because: back.because }, { errors });
    return;
  }
  await endAll(session, signal);
  await held.advance('rolled_back', { serves: back.to }, { serving: { deploymentId: back.to, port: null }, errors });
}

/** Stops the build and the instance of a cancelled deployment, and waits until both are gone. */
export async function cancelDeployment(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { held } = session;
  const instance = await endAll(session, signal);
  await held.advance('cancelled', { build: 'ended', instance }, { actor: held.row().cancelBy ?? 'system' });
}

type Back =
  { readonly kind: 'switched'; readonly to: string | null } | { readonly kind: 'kept'; readonly because: string };

/** Routes requests to the instance that served before, or removes the route when there was none. */
async function switchBack(session: DeploymentSession, signal: AbortSignal): Promise<Back> {
  const { parts, held } = session;
  const row = held.row();
  const service = formatServiceName(row);
  const old = row.replaces === null ? null : await parts.work.find(row.replaces);
  if (old?.instance == null || old.release === null) {
    await parts.traffic.remove(service, held.epoch, signal);
    return { kind: 'switched', to: null };
  }
  if (!(await isHealthy(old, old.instance, signal))) {
    const isAlive =
      row.instance !== null && (await probeHealth(row.instance, requireServiceFile(row), signal)).status !== null;
    if (isAlive) return { kind: 'kept', because: `${old.release} does not answer any more` };
  }
  const { host, port } = old.instance;
  const listen = (await parts.traffic.current(service, signal))?.listen;
  if (!listen) return { kind: 'switched', to: null };
  const { release, deploymentId } = old;
  const route = { service, listen, upstream: { host, port }, release, deploymentId, fence: held.epoch };
  await parts.traffic.switchTo(route, signal);
  return { kind: 'switched', to: deploymentId };
}

async function isHealthy(old: FullDeploymentRow, instance: ProgramInstance, signal: AbortSignal): Promise<boolean> {
  for (let probes = 0; probes < MAX_PROBES; probes++) {
    if ((await probeHealth(instance, requireServiceFile(old), signal)).isHealthy) return true;
    await sleepOrThrow(PAUSE_MS, signal);
  }
  return false;
}

async function endAll(session: DeploymentSession, signal: AbortSignal): Promise<string> {
  const { parts, held } = session;
  const row = held.row();
  // A deployment that never reached its server left nothing to stop there, so the server need not answer.
  const wasOnServer = await parts.work.wasIn(row.deploymentId, 'building', 'starting');
  const driver = wasOnServer ? await session.driver() : null;
  await driver?.endBuild(getReleaseId(row), signal);
  const how = driver && (await endInstances(driver, row, STOP_GRACE_MS, signal));
  await releaseInstancePort(parts, row);
  await parts.sources.discard(row.deploymentId);
  return how ?? 'none';
}

/** Stops the instances of a deployment. Returns how the last of them ended; null when none ran. */
export async function endInstances(
  driver: Driver,
  row: FullDeploymentRow,
  graceMs: number,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Driver['stop']>> | null> {
  for (let how: Awaited<ReturnType<Driver['stop']>> | null = null; ; await sleepOrThrow(PAUSE_MS, signal)) {
    const all = await driver.find(pickService(row), signal);
    const ours = all.find(({ id, state }) => id.deploymentId === row.deploymentId && state.kind === 'running');
    if (ours === undefined) return how;
    how = await driver.stop(ours.instance, graceMs, signal);
  }
}

/** Collects the errors of a failed deployment. `hasServed`: the service's log already contains its last lines. Pure. */
export function listFailureErrors(
  { failure, release }: Pick<FullDeploymentRow, 'failure' | 'release'>,
  hasServed: boolean,
): readonly FoundErrors[] {
  if (failure === null) return [];
  const error = (sample: string, count: number): FoundErrors => ({
    fingerprint: `deploy:${getFingerprint(sample)}`,
    source: 'deploy',
    sample,
    release,
    at: null,
    count,
  });
  const lines = hasServed ? [] : groupErrors(failure.lines.map((line) => ({ at: null, stream: 'err' as const, line })));
  return [error(failure.sentence, 1), ...lines.slice(0, KINDS).map(({ sample, count }) => error(sample, count))];
}
