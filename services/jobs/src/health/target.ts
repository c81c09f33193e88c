import { nameService, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { PlacedTarget } from '@signalbox/store/deploy/deployments-placement';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { createDeployments } from '@signalbox/store/deploy/deployments';
import type { DeploymentWork } from '../deploy/deployment-work.ts';
import type { Pool } from '@signalbox/store/pool';
import type { ServiceRow, createServices } from '@signalbox/store/deploy/services';
import { AppError } from '@signalbox/contracts/errors';
import type { Driver } from '../drivers/driver.ts';
import type { CrashLoopLimits } from './crash-loop.ts';
import type { JobContext } from '../runner/handlers.ts';
import type { Traffic } from '../traffic/traffic.ts';

/** Dependencies of health checks and diagnoses, opened once per process. */
export interface DiagnoseDeps {
  readonly pool: Pool;
  readonly work: Pick<DeploymentWork, 'find'>;
  readonly deployments: Pick<ReturnType<typeof createDeployments>, 'before' | 'list'>;
  readonly services: Pick<ReturnType<typeof createServices>, 'find' | 'variables'>;
  readonly openDriver: (target: PlacedTarget, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
  /** The proxy, which reports problems of its routes. */
  readonly traffic: Pick<Traffic, 'current'>;
  readonly reachHost: string;
  /** Crash loop limits; LOOP by default. */
  readonly loop?: CrashLoopLimits;
}

/** Finds a service and the deployment that serves, if any. Throws NOT_FOUND. */
export async function findServing(
  parts: Pick<DiagnoseDeps, 'services' | 'work'>,
  service: ServiceKey,
): Promise<{ readonly service: ServiceRow; readonly serving: WorkRow | null }> {
  const row = await parts.services.find(service);
  if (!row)
    throw new AppError('NOT_FOUND', { kind: 'service', name: nameService(service), known: 'those that were deployed' });
  return { service: row, serving: row.serving === null ? null : await parts.work.find(row.serving) };
}

/** Opens the driver of a deployment's server for `work`, and closes it. */
export async function withDriver<T>(
  parts: Pick<DiagnoseDeps, 'openDriver'>,
  target: PlacedTarget,
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
  return parts.traffic.current(nameService(service), signal).then(
    (route) => route?.problem ?? null,
    () => null,
  );
}
