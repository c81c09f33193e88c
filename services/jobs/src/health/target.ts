import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import type { DeploymentStore } from '../deploy/deployment-work.ts';
import type { Pool } from '@signalbox/store/pool';
import type { ServiceRow, createServiceStore } from '@signalbox/store/deploy/services';
import { AppError } from '@signalbox/contracts/errors';
import type { Driver } from '../drivers/driver.ts';
import type { CrashLoopLimits } from './crash-loop.ts';
import type { JobContext } from '../runner/handlers.ts';
import type { TrafficSwitch } from '../traffic/traffic.ts';

/** Dependencies of health checks and diagnoses, opened once per process. */
export interface DiagnoseDeps {
  readonly pool: Pool;
  readonly work: Pick<DeploymentStore, 'find'>;
  readonly deployments: Pick<
    ReturnType<typeof createDeploymentStore>,
    'before' | 'healthyBefore' | 'list' | 'firstLatencyMs'
  >;
  readonly services: Pick<ReturnType<typeof createServiceStore>, 'find' | 'variables'>;
  readonly openDriver: (target: ServerAccess, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
  /** The proxy, which reports problems of its routes. */
  readonly traffic: Pick<TrafficSwitch, 'current'>;
  readonly reachHost: string;
  readonly loop?: CrashLoopLimits;
}

/** Finds a service and the deployment that serves, if any. Throws NOT_FOUND. */
export async function findServingDeployment(
  parts: Pick<DiagnoseDeps, 'services' | 'work'>,
  service: ServiceKey,
): Promise<{ readonly service: ServiceRow; readonly serving: FullDeploymentRow | null }> {
  const row = await parts.services.find(service);
  if (!row)
    throw new AppError('NOT_FOUND', {
      kind: 'service',
      name: formatServiceName(service),
      known: 'those that were deployed',
    });
  return { service: row, serving: row.serving === null ? null : await parts.work.find(row.serving) };
}

/** Opens the driver of a deployment's server for `work`, and closes it. */
export async function withDriver<T>(
  parts: Pick<DiagnoseDeps, 'openDriver'>,
  target: ServerAccess,
  context: Pick<JobContext, 'openSecret'>,
  work: (driver: Driver) => Promise<T>,
): Promise<T> {
  const driver = await parts.openDriver(target, context);
  try {
    return await work(driver);
  } finally {
    await driver.close();
  }
}

/** Reads from the proxy why no request reaches a service. Null when the proxy knows no problem or does not answer. */
export async function readRouteProblem(
  parts: Pick<DiagnoseDeps, 'traffic'>,
  service: ServiceKey,
  signal: AbortSignal,
): Promise<string | null> {
  // The probe through the proxy notices a silent proxy.
  return parts.traffic.current(formatServiceName(service), signal).then(
    (route) => route?.problem ?? null,
    () => null,
  );
}
