import { z } from 'zod';
import { CrashMemory, NO_CRASHES } from './crash-loop.ts';

/** What the watcher remembers of a service between two probes. The column `services.health` holds it. */
export const HealthMemory = z.preprocess(
  (stored) => stored ?? {},
  z.object({
    verdict: z.string().catch('unknown'),
    because: z.string().catch(''),
    release: z.string().nullable().catch(null),
    latencyMs: z.number().nullable().catch(null),
    /** Looks in a row that found it unwell, and well. */
    bad: z.number().int().catch(0),
    good: z.number().int().catch(0),
    restarts: z.number().int().nullable().catch(null),
    instance: z.string().nullable().catch(null),
    /** Its program had ended. */
    ended: z.boolean().catch(false),
    /** How often it was started again, and when. */
    crashes: CrashMemory.catch(NO_CRASHES),
    /** How many errors were usual in five minutes at the last look that found it well. */
    errorsUsually: z.number().catch(0),
    /** Latencies of the newest good looks by release, the newest release first. */
    samples: z.array(z.object({ release: z.string(), latencies: z.array(z.number()) })).catch([]),
  }),
);
export type HealthMemory = z.infer<typeof HealthMemory>;

/** Kept of a release, and releases of a service. */
const LATENCIES = 40;
const RELEASES = 6;
/** Fewer say nothing of what is usual. */
const ENOUGH = 3;

/** The samples with one more. Slow answers are samples too, of their release: another release is compared with them. */
export function addLatency(
  samples: HealthMemory['samples'],
  release: string,
  latencyMs: number,
): HealthMemory['samples'] {
  const before = samples.find((one) => one.release === release)?.latencies ?? [];
  const others = samples.filter((one) => one.release !== release);
  return [{ release, latencies: [...before, Math.round(latencyMs)].slice(-LATENCIES) }, ...others].slice(0, RELEASES);
}

/** The median of a release, null with too few looks. `enough`: how many it takes; one, to compare another release with. */
export function medianOf(samples: HealthMemory['samples'], release: string | null, enough = ENOUGH): number | null {
  const latencies = samples.find((one) => one.release === release)?.latencies ?? [];
  if (latencies.length < enough) return null;
  const sorted = [...latencies].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/**
 * What is usual for a service, in milliseconds: the median of the releases before the one that serves, when there is one to compare
 * with, else its own. The quicker of the two, so that a release that is slow from the start does not become the usual.
 */
export function usualLatency(samples: HealthMemory['samples'], release: string | null): number | null {
  const own = medianOf(samples, release);
  const before = samples.find((one) => one.release !== release && one.latencies.length > 0);
  const other = before ? medianOf(samples, before.release, 1) : null;
  if (own === null || other === null) return own ?? other;
  return Math.min(own, other);
}
