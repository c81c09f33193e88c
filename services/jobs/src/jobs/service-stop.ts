import { endInstances } from '../deploy/steps/undo.ts';
import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import { say } from '@signalbox/messages/say';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { closeIncident, listOpenIncidents } from '@signalbox/store/deploy/incidents';
import type { Pool } from '@signalbox/store/pool';
import { formatIncidentSubject } from '@signalbox/store/deploy/service-health';
import type { ServiceStopStore } from '@signalbox/store/deploy/service-stops';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { releaseInstancePort, requireServiceFile } from '../deploy/deployment-session.ts';
import { withDriver } from '../health/target.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';

const PAUSE_MS = 100;
/** Minimum grace period of an instance. */
const LEAST_GRACE_MS = SECOND_MS;

export type StopDeps = Pick<DeployDeps, 'work' | 'leases' | 'traffic' | 'openDriver'> & {
  readonly pool: Pool;
  readonly stops: ServiceStopStore;
};

/** Stops a service but keeps its artifact. Updates the row first, so that a retry continues with the same deployment. */
export function createServiceStopHandler(parts: StopDeps): HandlerOf<'service.stop'> {
  return {
    title: () => say('jobs.stoppingAService'),
    run: (service, context) => stopService(parts, service, context),
    say: ({ project, environment, release, ref, cut }) =>
      say('services.stopped', { project, environment, release: release ?? 'what served', ref, cut }),
  };
}

async function stopService(
  parts: StopDeps,
  service: JobPayload<'service.stop'>,
  context: JobContext,
): Promise<JobResult<'service.stop'>> {
  const { signal, runId } = context;
  const by = context.owner?.userKey ?? 'operator';
  const { deploymentId, epoch } = await parts.stops.begin(service, runId, by);
  const row = await parts.work.find(deploymentId);
  if (row === null) throw new Error(`${deploymentId} served and has no row`);
  await removeRoute(parts, row, epoch, signal);
  const cut = await drain(parts, row, signal);
  const graceMs = Math.max(LEAST_GRACE_MS, requireServiceFile(row).drainSeconds * SECOND_MS);
  const ended = await withDriver(parts, row, context, (driver) => endInstances(driver, row, graceMs, signal));
  const how = ended ?? 'gone';
  await releaseInstancePort(parts, row);
  await parts.stops.end(deploymentId, runId, by, { how, cut });
  await closeIncidents(parts.pool, row);
  const { project, environment } = service;
  return { project, environment, deploymentId, release: row.release, ref: row.ref, server: row.server, how, cut };
}

/** Removes the route unless it leads to another deployment. */
async function removeRoute(
  parts: StopDeps,
  row: FullDeploymentRow,
  epoch: number | null,
  signal: AbortSignal,
): Promise<void> {
  const name = formatServiceName(row);
  const route = await parts.traffic.current(name, signal);
  if (route?.deploymentId !== row.deploymentId) return;
  try {
    // A stop without an epoch of its own cannot remove a newer route.
    await parts.traffic.remove(name, epoch ?? route.fence, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ROUTE_REFUSED') throw error;
    const now = await parts.traffic.current(name, signal);
    if (now?.deploymentId === row.deploymentId) throw error;
  }
}

async function drain({ traffic }: StopDeps, row: FullDeploymentRow, signal: AbortSignal): Promise<number> {
  const until = performance.now() + requireServiceFile(row).drainSeconds * SECOND_MS;
  const { instance } = row;
  if (instance === null) return 0;
  for (;;) {
    const open = await traffic.open(formatServiceName(row), { host: instance.host, port: instance.port }, signal);
    if (open === 0 || performance.now() > until) return open;
    await sleepOrThrow(PAUSE_MS, signal);
  }
}

async function closeIncidents(pool: Pool, row: FullDeploymentRow): Promise<void> {
  const { project, environment } = row;
  for (const { subject, kind } of await listOpenIncidents(pool, formatIncidentSubject(row)))
    await closeIncident(pool, {
      subject,
      kind,
      project,
      say: say('services.stoppedIncident', { project, environment }),
    });
}
