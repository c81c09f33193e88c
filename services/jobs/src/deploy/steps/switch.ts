import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import type { ProgramInstance } from '../../drivers/driver.ts';
import { leaseUsablePort } from '../port-leases.ts';
import { isPortFree, isExpectedRelease, probeHealth } from './probe-health.ts';
import {
  releaseInstancePort,
  requireServiceFile,
  createPublicUrl,
  pickService,
  type DeploymentSession,
} from '../deployment-session.ts';

const PAUSE_MS = 200;
const HEALTHY_PROBES = 2;
/** Time in which the new release, which was just healthy, must respond through the proxy. */
const VERIFY_MS = 15 * SECOND_MS;
/** Number of consecutive responses from another release after which the deployment fails. */
const MAX_OTHER_PROBES = 5;

export async function switchTraffic(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const { instance, release, deploymentId } = row;
  if (instance === null || release === null) throw new Error(`${deploymentId} has nothing to switch to`);
  session.follow(instance);
  const service = formatServiceName(row);
  const before = await parts.traffic.current(service, signal);
  const port = await leasePublicPort(session, before?.listen.port ?? null);
  const route = {
    service,
    listen: { host: parts.listenHost, port },
    upstream: { host: instance.host, port: instance.port },
    release,
    deploymentId,
    fence: held.epoch,
  };
  await parts.traffic.switchTo(route, signal);
  const evidence = { port, from: before?.deploymentId ?? null, upstream: `${instance.host}:${instance.port}` };
  const url = createPublicUrl(parts, port);
  await held.advance('verifying', evidence, { change: { url }, serving: { deploymentId, port } });
}

/** Probes the service through the proxy until it reports the new release twice in a row. Throws RELEASE_NOT_SERVED. */
export async function verifyRelease(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const { instance, release, deploymentId } = row;
  if (instance === null || release === null) throw new Error(`${deploymentId} has nothing that could serve`);
  session.follow(instance);
  const file = requireServiceFile(row);
  const service = formatServiceName(row);
  const deadline = performance.now() + Math.min(VERIFY_MS, parts.limits.verifyingMs);
  let good = 0;
  let other = 0;
  for (;;) {
    const route = await parts.traffic.current(service, signal);
    const isOurs = route?.deploymentId === deploymentId;
    const probe = route && (await probeHealth({ host: parts.reachHost, port: route.listen.port }, file, signal));
    const isReported = probe !== null && isExpectedRelease(probe.release, release, file);
    good = isOurs && probe?.isHealthy && isReported ? good + 1 : 0;
    other = isOurs && probe?.isHealthy && !isReported ? other + 1 : 0;
    if (good === HEALTHY_PROBES) {
      const by = probe?.release === release ? (file.release?.from ?? 'header') : 'instance';
      await held.advance('draining', {
        serves: release,
        by,
        through: `${route?.listen.port ?? 0}`,
        ms: probe?.ms ?? 0,
      });
      return;
    }
    if (other === MAX_OTHER_PROBES || performance.now() > deadline) {
      const found = describe(isOurs, probe);
      throw new AppError('RELEASE_NOT_SERVED', { where: service, release, found });
    }
    await sleepOrThrow(PAUSE_MS, signal);
  }
}

/** Waits for open requests to the instances that served before, then stops these instances but keeps their artifacts. */
export async function drainInstances(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const service = formatServiceName(row);
  const driver = await session.driver();
  const graceMs = requireServiceFile(row).drainSeconds * SECOND_MS;
  const others = (await driver.find(pickService(row), signal)).filter(({ id }) => id.deploymentId !== row.deploymentId);
  const running = others.filter(({ state }) => state.kind === 'running');
  const deadline = performance.now() + graceMs;
  let open = 0;
  const isBusy = async (): Promise<boolean> => {
    const route = await parts.traffic.current(service, signal);
    const counts = running.map(({ instance }) => openRequests(route?.open ?? [], instance));
    open = counts.reduce((sum, count) => sum + count, 0);
    return open > 0;
  };
  while ((await isBusy()) && performance.now() < deadline) await sleepOrThrow(PAUSE_MS, signal);
  const stopped: string[] = [];
  for (const { id, instance } of running)
    stopped.push(
      `${id.release} (${id.deploymentId}): ${await driver.stop(instance, Math.max(graceMs, SECOND_MS), signal)}`,
    );
  for (const deploymentId of await parts.leases.listLeasedInstances(row))
    if (deploymentId !== row.deploymentId) await releaseInstancePort(parts, { ...row, deploymentId });
  await held.advance('succeeded', { stopped, cut: open });
}

function openRequests(
  open: readonly { readonly upstream: { readonly host: string; readonly port: number }; readonly requests: number }[],
  { host, port }: ProgramInstance,
): number {
  return open.find(({ upstream }) => upstream.host === host && upstream.port === port)?.requests ?? 0;
}

function leasePublicPort({ parts, held }: DeploymentSession, routed: number | null): Promise<number> {
  const { project, environment, userKey } = held.row();
  return leaseUsablePort(
    parts.leases,
    { server: 'local', project, label: environment, memoryMb: 0, by: userKey },
    // A port on which the proxy already listens for the same service counts as free.
    async (port) => port === routed || !parts.traffic.opensDoors || (await isPortFree(parts.listenHost, port)),
  );
}

function describe(isOurs: boolean, probe: Awaited<ReturnType<typeof probeHealth>> | null): string {
  if (probe === null) return 'the proxy has no route for it';
  if (!isOurs) return 'the proxy sends its requests to another deployment';
  if (!probe.isHealthy) return probe.problem ?? `it answers ${probe.status ?? 0}`;
  return probe.release === null ? 'what serves reports no release' : `what serves reports ${probe.release}`;
}
