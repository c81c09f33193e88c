import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { DeploymentStore } from '@signalbox/jobs/deploy/deployment-work';
import { createServiceRevivals } from '@signalbox/jobs/health/service-revivals';
import { createLog } from '@signalbox/platform/log';
import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import type { CrashLoopLimits } from '@signalbox/jobs/health/crash-loop';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createServicesWatchHandler } from '@signalbox/jobs/health/services-watch';
import type { TrafficSwitch } from '@signalbox/jobs/traffic/traffic';
import type { Pool } from '@signalbox/store/pool';
import { loadTestConfig } from '../../support/config.ts';
import type { DeployBench } from './deploy-bench.ts';

const confinement = await openConfinement({ program: null }); // it starts nothing

const NOBODY_SAYS: Pick<TrafficSwitch, 'current'> = { current: () => Promise.resolve(null) };

/** One process that looks after services, as the schedule does. `wrap` takes the place of its driver. */
export function openWatcher(
  bench: DeployBench,
  traffic: Pick<TrafficSwitch, 'current'> = NOBODY_SAYS,
  {
    loop,
    wrap = (driver) => driver,
    pool = bench.jobs.pool,
  }: { readonly loop?: CrashLoopLimits; readonly wrap?: (driver: Driver) => Driver; readonly pool?: Pool } = {},
): () => Promise<JobResult<'services.watch'>> {
  const handler = createServicesWatchHandler({
    pool,
    work: new DeploymentStore(pool),
    deployments: bench.deployments,
    services: bench.services,
    ...(loop ? { loop } : {}),
    openDriver: async ({ server: name, serverHost: host, ...rest }) =>
      wrap(
        await openDriver(
          { name, host, ...rest },
          {
            targetsDir: bench.targetsDir,
            path: loadTestConfig().path,
            baseImage: '',
            confinement,
            openSecret: () => Promise.reject(new Error('no secret')),
          },
        ),
      ),
    traffic,
    reachHost: '127.0.0.1',
    publisher: { publish: async () => undefined },
    gapMs: 0,
    revivals: createServiceRevivals(pool),
    startRun: async () => false, // nobody brings anything back here
  });
  const context = {
    signal: AbortSignal.timeout(60_000),
    log: createLog('test', 'silent'),
    now: () => new Date(),
    openSecret: () => Promise.reject(new Error('no secret')),
  } as unknown as JobContext; // what the handler touches of it
  return () => handler.run({}, context);
}
