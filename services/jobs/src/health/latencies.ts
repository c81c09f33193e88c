import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { z } from 'zod';
import { CrashHistory, NO_CRASHES } from './crash-loop.ts';

/** State of a service's health between two probes, in the column `services.health`. */
export const HealthState = z.preprocess(
  (stored) => stored ?? {},
  z.object({
    verdict: z.string().catch('unknown'),
    because: z.string().catch(''),
    release: z.string().nullable().catch(null),
    latencyMs: z.number().nullable().catch(null),
    /** `bad` and `good`: the number of consecutive probes that found the service unhealthy, or healthy. */
    bad: z.number().int().catch(0),
    good: z.number().int().catch(0),
    restarts: z.number().int().nullable().catch(null),
    instance: z.string().nullable().catch(null),
    /** True when the last probe found the program ended. */
    ended: z.boolean().catch(false),
    /** True while the service is slow or answers not in time, until two probes in a row find it well. */
    isStrained: z.boolean().catch(false),
    crashes: CrashHistory.catch(NO_CRASHES),
    /** Usual number of errors in five minutes, as of the last healthy probe. */
    errorsUsually: z.number().catch(0),
    /** Latencies of the newest healthy probes by release, newest release first. */
    samples: z.array(z.object({ release: z.string(), latencies: z.array(z.number()) })).catch([]),
  }),
);
export type HealthState = z.infer<typeof HealthState>;

/** Maximum of stored latencies per release, and of releases per service. */
const MAX_LATENCIES = 40;
const MAX_RELEASES = 6;
/** Minimum probes for a usual latency. */
const MIN_LATENCIES = 3;

/** Adds a latency to the samples of its release. Slow responses count too. */
export function addLatency(
  samples: HealthState['samples'],
  release: string,
  latencyMs: number,
): HealthState['samples'] {
  const before = samples.find((one) => one.release === release)?.latencies ?? [];
  const others = samples.filter((one) => one.release !== release);
  return [{ release, latencies: [...before, Math.round(latencyMs)].slice(-MAX_LATENCIES) }, ...others].slice(
    0,
    MAX_RELEASES,
  );
}

/** Returns the median latency of a release; null with fewer than `enough` probes. */
function getMedian(samples: HealthState['samples'], release: string | null, enough = MIN_LATENCIES): number | null {
  const latencies = samples.find((one) => one.release === release)?.latencies ?? [];
  if (latencies.length < enough) return null;
  const sorted = [...latencies].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/** Returns the lower of this release's median and the latency of the release before, so that a slow new release sets no standard. */
export function getUsualLatency(
  samples: HealthState['samples'],
  release: string | null,
  beforeMs: number | null,
): number | null {
  const own = getMedian(samples, release);
  if (own === null || beforeMs === null) return own ?? beforeMs;
  return Math.min(own, beforeMs);
}

/** A release that served before, and its usual latency; null without any measurement. */
export interface EarlierRelease {
  readonly deploymentId: string;
  readonly release: string | null;
  readonly latencyMs: number | null;
}

/**
 * Finds the release that served before the current one, with its median latency. A release that served too shortly for probes has the
 * latency with which it began to serve. Null when nothing served before.
 */
export async function findReleaseBefore(
  deployments: Pick<ReturnType<typeof createDeploymentStore>, 'before' | 'firstLatencyMs'>,
  service: ServiceKey,
  samples: HealthState['samples'],
): Promise<EarlierRelease | null> {
  const before = await deployments.before(service);
  if (before === null) return null;
  const { deploymentId, release } = before;
  const median = getMedian(samples, release, 1);
  return { deploymentId, release, latencyMs: median ?? (await deployments.firstLatencyMs(deploymentId)) };
}
